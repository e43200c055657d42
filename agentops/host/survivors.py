"""Processes that outlived their run: found by the mark in their environment, ended by identity, never by name."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterable
from typing import cast

from agentops.core.clock import Clock
from agentops.core.stops import Scope
from agentops.host.spawn import MARKER
from agentops.host.trees import Process, alive, pids, process, signal_all

_KILL_SECONDS = 2.0


def marked(prefix: str, variable: str = MARKER) -> tuple[Process, ...]:
    """Every living process but ourselves whose environment says `AO_RUN_ID=<prefix>…` (loop-peers B-O3, B-O7).

    An environment that we may not read, or that the process wiped, is not found; a namespace or shim holds those.
    """
    wanted = f"{variable}={prefix}".encode()
    found = []
    for pid in pids():
        if pid == os.getpid():
            continue
        before = process(pid)
        if before is None or before.dead or not _mentions(pid, wanted):
            continue
        now = process(pid)
        if now is not None and now.start == before.start and not now.dead:
            found.append(now)
    return tuple(found)


def end(processes: Iterable[Process], scope: Scope | Clock, grace: float = 1.5) -> int:
    """End them politely, then hard after `grace` seconds; how many are left. Only these very processes: a process id that
    was given to someone else meanwhile is left alone."""
    clock: Clock = getattr(scope, "clock", None) or cast(Clock, scope)
    targets = tuple(processes)
    if not targets:
        return 0
    if grace > 0:
        signal_all(targets, signal.SIGTERM)
        targets = _wait(targets, clock, grace)
    signal_all(targets, signal.SIGKILL)
    return len(_wait(targets, clock, _KILL_SECONDS))


def _wait(targets: tuple[Process, ...], clock: Clock, seconds: float) -> tuple[Process, ...]:
    """Those that are still alive after so long, or none as soon as all have ended."""
    until = clock.now().mono + seconds
    poller = select.poll()
    open_fds: dict[int, Process] = {}
    try:
        for one in targets:
            try:
                fd = os.pidfd_open(one.pid)
            except OSError:
                continue  # gone
            open_fds[fd] = one
            poller.register(fd, select.POLLIN)
            if not alive(one):
                poller.unregister(fd)
                os.close(fd)
                del open_fds[fd]
        while open_fds and (left := until - clock.now().mono) > 0:
            for fd, _ in poller.poll(left * 1000):
                poller.unregister(fd)
                os.close(fd)
                reap(open_fds.pop(fd).pid)
        return tuple(open_fds.values())
    finally:
        for fd in open_fds:
            os.close(fd)


def reap(pid: int) -> None:
    """Take in an ended process if it is ours to take."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return  # someone else's


def _mentions(pid: int, wanted: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environ = file.read()
    except OSError:
        return False
    return environ.startswith(wanted) or b"\0" + wanted in environ
