"""A lock that the kernel holds, with a description beside it that only people read."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import msgspec

from agentops.core import wire
from agentops.core.clock import Clock
from agentops.core.errors import LeaseHeld
from agentops.host.faults import fault
from agentops.host.files import ensure_folder, read_bounded, remove, still_names, write_atomic


class FileLock:
    """An exclusive `flock` on `path`, tried and never waited for; free at once when its process dies, however it dies.

    The description `<path>.json` (pid, host, since, boot, and what `facts` adds) never decides anything: an empty,
    stale or unreadable one blocks nobody (loop-peers B-T1, B-T2). The descriptor is close-on-exec, else an orphan of ours
    would keep the lock (loop-peers F2-D). As a context manager it raises `LeaseHeld` when someone else has it.
    """

    def __init__(self, path: str, clock: Clock, facts: Mapping[str, object] | None = None) -> None:
        self.path = path
        self.described = f"{path}.json"
        self._clock = clock
        self._facts = dict(facts or {})
        self._fd = -1

    @property
    def held(self) -> bool:
        return self._fd >= 0

    def take(self) -> bool:
        """Take it if it is free. True when it is ours, also when it was before."""
        if self.held:
            return True
        ensure_folder(os.path.dirname(self.path))
        fault("locks.take.before")
        while True:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                ours = still_names(self.path, fd)
            except BlockingIOError:
                os.close(fd)
                return False
            except BaseException:
                os.close(fd)
                raise
            if ours:
                break
            os.close(fd)  # the file was replaced between open and lock: that lock protects nothing
        self._fd = fd
        self._describe()
        fault("locks.take.after")
        return True

    def description(self) -> dict[str, Any]:
        """What whoever took it last says of itself; empty when there is none to read. `holders` knows who holds it now."""
        try:
            said = wire.parse(read_bounded(self.described, 64 * 1024))
        except (OSError, msgspec.DecodeError):
            return {}
        return said if isinstance(said, dict) else {}

    def release(self) -> None:
        """Give it back. The lock file stays: removing it would let two processes lock two files of one name."""
        if not self.held:
            return
        try:
            remove(self.described)
        except OSError:
            pass  # a description that stays behind misleads nobody
        fd, self._fd = self._fd, -1
        os.close(fd)

    def __enter__(self) -> FileLock:
        if not self.take():
            raise LeaseHeld(f"{self.path} is held by {describe(self.description())}.")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _describe(self) -> None:
        since = self._clock.now().wall
        facts = {"pid": os.getpid(), "host": os.uname().nodename, "since": since, "boot": self._clock.boot(), **self._facts}
        try:
            write_atomic(self.described, wire.dump(facts), durable=False)
        except OSError:
            pass  # a full disk must not undo a lock that we hold


def describe(said: Mapping[str, object]) -> str:
    """A holder for a person: `pid 4711 on box`, or what little is known."""
    if not said:
        return "a process that left no description"
    return f"pid {said.get('pid', '?')} on {said.get('host', '?')}"
