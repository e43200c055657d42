"""Processes as the kernel lists them: who descends from whom, how much they worked, and who is who."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentops.host.faults import fault

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One process of this boot. `pid` alone is reused by the kernel; with `start` (clock ticks since boot) it is unique.

    `ticks`: CPU time, its reaped children's included. `state`: the letter of proc(5), `Z` for one that is dead already.
    """

    pid: int
    start: int
    parent: int
    state: str
    ticks: int
    name: str

    @property
    def dead(self) -> bool:
        return self.state in "ZX"


def process(pid: int) -> Process | None:
    """What /proc/PID/stat says (proc(5), fields 1-4, 14-17, 22); None when it is gone."""
    try:
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            raw = os.read(fd, 4096)
        finally:
            os.close(fd)
    except OSError:
        return None
    opened, closed = raw.find(b"("), raw.rfind(b")")  # a name may hold brackets and blanks
    fields = raw[closed + 2 :].split()
    if len(fields) < 20:
        return None
    name = raw[opened + 1 : closed].decode("utf-8", "replace")
    ticks = sum(int(one) for one in fields[11:15])
    return Process(pid, int(fields[19]), int(fields[1]), fields[0].decode(), ticks, name)


def pids() -> Iterator[int]:
    """Every process id there is; none where there is no /proc."""
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    for name in names:
        if name.isdigit():
            yield int(name)


def descendants(root: int, *, dead: bool = False) -> tuple[Process, ...]:
    """All living processes below `root`, itself not included; with `dead`, those that are only waiting to be reaped too."""
    children: dict[int, list[Process]] = {}
    for pid in pids():
        if (one := process(pid)) is not None:
            children.setdefault(one.parent, []).append(one)
    found: list[Process] = []
    todo = [root]
    while todo:
        below = children.pop(todo.pop(), [])
        found.extend(below)
        todo.extend(one.pid for one in below)
    return tuple(one for one in found if dead or not one.dead)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a tree has needed so far: CPU ticks, reaped children included. `wants`: something of it runs, or would."""

    ticks: int
    wants: bool


def needs_below(roots: Collection[int]) -> dict[int, Needs]:
    """What each of these processes needs together with all below it, from one look at the machine."""
    seen: dict[int, Process] = {}
    children: dict[int, list[int]] = {}
    for pid in pids():
        if (one := process(pid)) is not None:
            seen[pid] = one
            children.setdefault(one.parent, []).append(pid)
    return {root: _needs(root, seen, children) for root in roots}


def _needs(root: int, seen: Mapping[int, Process], children: Mapping[int, Sequence[int]]) -> Needs:
    ticks, wants, todo = 0, False, [root]
    while todo:
        pid = todo.pop()
        if (one := seen.get(pid)) is not None:
            ticks, wants = ticks + one.ticks, wants or one.state in "RD"
        todo.extend(children.get(pid, ()))
    return Needs(ticks, wants)


def alive(one: Process) -> bool:
    """Whether this very process still runs."""
    now = process(one.pid)
    return now is not None and now.start == one.start and not now.dead


def signal_one(one: Process, number: signal.Signals) -> bool:
    """Signal exactly this process: a pidfd holds it while its start time is compared (loop-peers B-O8). False when gone."""
    try:
        fd = os.pidfd_open(one.pid)
    except OSError:
        return False
    try:
        if not alive(one):
            return False
        signal.pidfd_send_signal(fd, number)
        return True
    except OSError:
        return False
    finally:
        os.close(fd)


def signal_all(processes: Iterable[Process], number: signal.Signals) -> int:
    """Signal each of them; how many were reached. A stopped process is continued, else it never hears the signal."""
    fault("trees.signal.before")
    reached = 0
    for one in processes:
        if signal_one(one, number):
            reached += 1
            if number is not signal.SIGKILL and one.state == "T":
                signal_one(one, signal.SIGCONT)
    return reached


def kill_below(root: int, rounds: int = 20) -> tuple[Process, ...]:
    """SIGKILL everything below `root`, again and again while new ones appear; what is left after that."""
    for _ in range(rounds):
        left = descendants(root)
        if not left:
            return ()
        for one in left:
            signal_one(one, signal.SIGKILL)
    return descendants(root)
