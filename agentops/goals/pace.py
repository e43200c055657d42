"""How many checks run side by side, and in which order. Pure: what was seen goes in, a batch comes out.

A check that waits (for a server, a sleep, a lock) costs nothing beside others; one that computes takes its neighbour's
time and with it the neighbour's limit. Which is which shows only when it runs, so the first batch is small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.fitness import Goal

MOST_SLOTS = 16
_SHORTEST = 0.001


@dataclass(frozen=True, slots=True)
class Load:
    """What a check took: seconds by the clock, and seconds of computing in its whole tree."""

    seconds: float
    cpu_seconds: float


@dataclass(slots=True)
class Pace:
    """What checks were seen to need, by their text. A session keeps one, so that its second measurement knows."""

    seen: dict[str, Load] = field(default_factory=dict)

    def saw(self, check: str, seconds: float, cpu_seconds: float) -> None:
        self.seen[check] = Load(max(seconds, _SHORTEST), max(cpu_seconds, 0.0))


@dataclass(frozen=True, slots=True)
class Batch:
    """The first `size` of the waiting goals, at most `slots` of them at once."""

    size: int
    slots: int


def alone(goal: Goal) -> bool:
    """Runs with nothing beside it: asked for, or `go test`, which fills the machine and its build cache by itself."""
    return goal.exclusive or "go test" in goal.check


def longest_first(goals: Sequence[Goal], pace: Pace, last: Mapping[str, float]) -> list[Goal]:
    """Unknown ones first (any may be the longest), then by the seconds they took before; `last` is by goal id."""

    def expected(goal: Goal) -> float:
        load = pace.seen.get(goal.check)
        return load.seconds if load else last.get(goal.id, float("inf"))

    return sorted(goals, key=expected, reverse=True)


def next_batch(waiting: Sequence[Goal], pace: Pace, cpus: int) -> Batch:
    """As many at once as the processors can carry by what was seen: `cpus` when checks compute, up to 16 when they wait.

    While a check is unknown the batch ends after two rounds, to look again at what was seen.
    """
    known = [load for goal in waiting if (load := pace.seen.get(goal.check))]
    judged_by = known if len(known) == len(waiting) else list(pace.seen.values())
    share = sum(load.cpu_seconds for load in judged_by) / sum(load.seconds for load in judged_by) if judged_by else 1.0
    slots = max(cpus, min(MOST_SLOTS, int(cpus / max(share, _SHORTEST))))
    return Batch(len(waiting) if len(known) == len(waiting) else min(len(waiting), 2 * slots), slots)
