"""Starting one process: pipes, session, sandbox. What can go wrong here is an `OSError` that says what."""

from __future__ import annotations

import atexit
import errno
import fcntl
import functools
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass

from agentops.core.processes import SandboxLevel, Spec
from agentops.host.environment import resolve
from agentops.host.faults import fault
from agentops.host.sandbox import wrap

MARKER = "AO_RUN_ID"
TREE = "AO_TREE"
_PIPE = 1 << 20
_WARDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "warden.py")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, prctl(2)


@dataclass(slots=True)
class Spawned:
    """A process that was started. `status` and `lifeline` as in `shim.py`, -1 where there is none. `tree`: its own mark."""

    process: subprocess.Popen[bytes]
    pidfd: int
    status: int = -1
    lifeline: int = -1
    tree: str = ""


def spawn(spec: Spec, level: SandboxLevel) -> Spawned:
    """Start it. Raises OSError: not found, not executable, no such folder, no descriptors, processes or memory left."""
    if not spec.argv:
        raise ValueError("no command was given")
    if resolve(spec.argv[0], spec.env, spec.cwd) is None:
        raise FileNotFoundError(errno.ENOENT, "command not found", spec.argv[0])
    fault("launcher.spawn.before")
    _want_exit_codes()
    if level is SandboxLevel.OFF:
        return _held(Spawned(_popen(spec, spec.argv, dict(spec.env), ()), -1))
    if threading.current_thread() is not threading.main_thread():
        # The kernel ends the child together with the *thread* that started it (design-review E13).
        raise RuntimeError("contained processes are started by the main thread only")
    _adopt_orphans()
    pipes: list[int] = []
    try:
        for _ in range(2):
            pipes.extend(os.pipe2(os.O_CLOEXEC))
        status, told, watched, lifeline = pipes
        os.set_blocking(status, False)
        tree = f"{_trees_of(os.getpid())}{os.urandom(4).hex()}"
        if level is SandboxLevel.BWRAP:
            _watch_over(os.getpid())
        command = wrap(spec, level, told, watched)
        passed = (told,) if level is SandboxLevel.BWRAP else (told, watched)
        spawned = _held(Spawned(_popen(spec, command, {**spec.env, TREE: tree}, passed), -1, status, lifeline, tree))
    except BaseException:
        for fd in pipes:
            os.close(fd)
        raise
    os.close(told)
    os.close(watched)
    return spawned


def _popen(spec: Spec, argv: tuple[str, ...], env: dict[str, str], passed: tuple[int, ...]) -> subprocess.Popen[bytes]:
    if spec.marker:
        env[MARKER] = spec.marker
    process = subprocess.Popen(
        argv,
        cwd=spec.cwd,
        env=env,
        bufsize=0,
        # Never an open terminal or pipe without an end: agents read a non-terminal stdin to its end (loop-peers B-H11).
        stdin=subprocess.PIPE if spec.stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if spec.merged else subprocess.PIPE,
        start_new_session=True,
        pass_fds=passed,
    )
    assert process.stdout is not None
    if not spec.contained:
        # Git answers in bulk. The output of agents and checks comes in small pieces: a mebibyte of two-byte lines takes a
        # second to pass on, and limits are looked at between two pieces.
        try:
            fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)
        except OSError:
            pass  # the user's pipe quota is spent; the default size works too
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
    return process


def _held(spawned: Spawned) -> Spawned:
    """With a pidfd, which tells of the end without a race; a process that we could not watch is not left running."""
    try:
        spawned.pidfd = os.pidfd_open(spawned.process.pid)
    except OSError:
        spawned.process.kill()
        with spawned.process:
            raise
    return spawned


@functools.cache
def _want_exit_codes() -> None:
    """A parent that ignores SIGCHLD passes that on, and then the kernel forgets how our children ended."""
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


@functools.cache
def _adopt_orphans() -> None:
    """Become the parent of what our trees leave behind, so that a namespace's first process is reaped and its CPU time
    counted here, whoever process 1 of this machine or container may be."""
    import ctypes  # milliseconds that a command which launches nothing should not pay

    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


@functools.cache
def _trees_of(pid: int) -> str:
    """What the mark of every tree of this process begins with."""
    return f"{pid}.{os.urandom(6).hex()}."


def _watch_over(pid: int) -> None:
    try:
        _warden(pid)
    except OSError:
        pass  # bubblewrap's own tie holds but for its first moment; the next run tries again


@functools.cache
def _warden(pid: int) -> subprocess.Popen[bytes]:
    """The warden of this process (see `warden.py`), started at the first need; a fork of us gets its own."""
    watched, lifeline = os.pipe2(os.O_CLOEXEC)
    try:
        warden = subprocess.Popen(
            (sys.executable, "-I", "-S", _WARDEN, str(watched), f"{TREE}={_trees_of(pid)}"),
            cwd=os.sep,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(watched,),
        )
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(watched)
    atexit.register(_dismiss, pid, warden, lifeline)
    return warden


def _dismiss(pid: int, warden: subprocess.Popen[bytes], lifeline: int) -> None:
    """At a normal end: a goodbye, and no process of ours behind us."""
    if os.getpid() != pid:
        return
    try:
        os.write(lifeline, b".")
    except OSError:
        pass  # it is gone already
    warden.wait()
