"""Which check starts next, and whether one may start at all beside those that run. Pure: what was seen goes in.

A check that waits (for a server, a sleep, a lock) costs nothing beside others; one that computes takes its neighbour's
time and with it the neighbour's limit. Which is which shows only while it runs, so the pool begins small and doubles as
long as what runs is seen to wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.fitness import Goal
from agentops.records.check_loads import key

MOST = 24
"""Side by side at the most: also what only waits holds memory and descriptors."""
PROVEN = 0.05
"""Seconds after which what a check was seen to need says something about it."""
_SHORTEST = 0.001
_START = 0.02
"""CPU seconds that starting a shell in its sandbox takes by itself."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a check took: seconds by the clock, seconds of computing in its whole tree, and how often it wanted to compute."""

    seconds: float
    cpu_seconds: float
    busy: float = 0.0

    @property
    def rate(self) -> float:
        """Processors that it keeps busy while it runs; starved of them it still wanted them."""
        return max(self.busy, (self.cpu_seconds - _START) / max(self.seconds, _SHORTEST), 0.0)


@dataclass(slots=True)
class Pace:
    """What checks were seen to need, by their text. A session keeps one, so that its second measurement knows.

    `earlier`: of earlier sessions, by the key of `records/check_loads.py`.
    """

    seen: dict[str, Load] = field(default_factory=dict)
    earlier: Mapping[str, Load] = field(default_factory=dict)

    def of(self, check: str) -> Load | None:
        """What is known of a check."""
        found = self.seen.get(check)
        return found if found is not None or not self.earlier else self.earlier.get(key(check))

    def saw(self, check: str, load: Load) -> None:
        self.seen[check] = load


@dataclass(frozen=True, slots=True)
class Underway:
    """A check that runs: what it was seen to need in earlier measurements (None: nothing), and what in this one so far."""

    known: Load | None
    so_far: Load

    @property
    def rate(self) -> float | None:
        """None while nobody can tell."""
        if self.known is not None:
            return self.known.rate
        return self.so_far.rate if self.so_far.seconds >= PROVEN else None


def alone(goal: Goal) -> bool:
    """Runs with nothing beside it: asked for, or `go test`, which fills the machine and its build cache by itself."""
    return goal.exclusive or "go test" in goal.check


def longest_first(goals: Sequence[Goal], pace: Pace, last: Mapping[str, float]) -> list[Goal]:
    """Unknown ones first (any may be the longest), then by the seconds they took before; `last` is by goal id."""

    def expected(goal: Goal) -> float:
        load = pace.of(goal.check)
        return load.seconds if load else last.get(goal.id, float("inf"))

    return sorted(goals, key=expected, reverse=True)


def following(waiting: Sequence[Load | None], running: Sequence[Underway], ended: Sequence[Load], cpus: int) -> int | None:
    """Which of `waiting` (best first; None: never seen) starts now beside `running`; None: wait until something changes.

    One for each processor always runs. Beyond that only what leaves them room by what is known of it; of what was never
    seen at most as many at a time as have been seen to leave room. `ended`: of this measurement.
    """
    if not waiting or len(running) >= MOST:
        return None
    if len(running) < cpus:
        return 0
    rates = [one.rate for one in running]
    proven = [rate for rate in rates if rate is not None] + [load.rate for load in ended]
    if not proven:
        return None
    guess = sum(proven) / len(proven)
    taken = sum(guess if rate is None else rate for rate in rates)
    trusted = rates.count(None) < max(cpus, len(proven))
    for at, load in enumerate(waiting):
        if (load is not None or trusted) and taken + (guess if load is None else load.rate) <= cpus:
            return at
    return None
