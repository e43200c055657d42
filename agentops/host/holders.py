"""Who holds a lock, seen without touching it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

import msgspec

from agentops.core import wire
from agentops.host.files import read_bounded


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a lock. `since`: seconds since the epoch; 0 when its description does not say."""

    pid: int
    host: str
    since: float
    run: str = ""


def holder(lock: str) -> Holder | None:
    """Who holds the lock file, None when nobody does.

    Trying the lock would make a supervisor that starts in that moment believe that it is the second one; so the kernel's
    list of locks is read, and where it can't be, the process that the description names is looked for.
    """
    described = _described(lock)
    if described is not None and described.host not in ("", socket.gethostname()):
        return described  # on a shared file system: no way to look from here, and it removes the description at its end
    locking = _locking_pids(lock)
    if locking is None:
        return described if described is not None and os.path.exists(f"/proc/{described.pid}") else None
    if not locking:
        return None
    return described if described is not None and described.pid in locking else Holder(min(locking), socket.gethostname(), 0.0)


def _described(lock: str) -> Holder | None:
    try:
        found = wire.parse(read_bounded(f"{lock}.json", 64 * 1024))
    except (OSError, msgspec.DecodeError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("pid"), int):
        return None
    since, run = found.get("since"), found.get("run", found.get("run_id", ""))
    return Holder(
        found["pid"],
        str(found.get("host", "")),
        float(since) if isinstance(since, int | float) else 0.0,
        run if isinstance(run, str) else "",
    )


def _locking_pids(lock: str) -> frozenset[int] | None:
    """Processes with a `flock` on that file, from proc_locks(5); None where there is no such list."""
    try:
        inode = os.stat(lock).st_ino
    except OSError:
        return frozenset()
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as listed:
            lines = [line.split() for line in listed]
    except OSError:
        return None
    # only the inode: on layered file systems the device that the kernel lists is not the one that stat tells
    return frozenset(
        int(words[4])
        for words in lines
        if len(words) >= 6 and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode) and words[4].isdigit()
    )
