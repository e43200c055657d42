"""Drift: two measurements of the goals compared, goal by goal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult

NEW = "new"
REMOVED = "removed"
BROKEN = "broken"


class Delta(StrEnum):
    """What became of a goal. `unmeasured` is ours: it had an answer, and now there is none."""

    REGRESSED = "regressed"
    UNMEASURED = "unmeasured"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class GoalDrift:
    """One goal: the words of both measurements (`new` and `removed` where it is in one alone), and what they come to.

    `value_delta` is the present value less the earlier one; `weight` the present weight, where there is one.
    """

    goal_id: str
    before: str
    after: str
    delta: Delta
    weight: int
    value_delta: float | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """Two measurements and what moved. `before` is None when there was nothing to compare with; `path` is where it was read."""

    before: Fitness | None
    after: Fitness
    moved: tuple[GoalDrift, ...] = ()
    path: str = ""


def compare(before: Fitness, after: Fitness) -> tuple[GoalDrift, ...]:
    """What moved, worst first and the heaviest first among equals, else in the order of the goals."""
    found = [_one(before.of(goal.goal_id), goal) for goal in after.goals]
    there = {goal.goal_id for goal in after.goals}
    found += [
        GoalDrift(goal.goal_id, _word(goal), REMOVED, _gone(goal), goal.weight)
        for goal in before.goals
        if goal.goal_id not in there
    ]
    order = list(Delta)
    return tuple(sorted(found, key=lambda one: (order.index(one.delta), -one.weight)))


def regressed(drift: Sequence[GoalDrift]) -> bool:
    """Whether anything got worse, for `--strict`."""
    return any(one.delta is Delta.REGRESSED for one in drift)


def _one(before: GoalResult | None, after: GoalResult) -> GoalDrift:
    value = None
    if before is not None and before.value is not None and after.value is not None:
        value = after.value - before.value
    was = _word(before) if before is not None else NEW
    return GoalDrift(after.goal_id, was, _word(after), _delta(was, _word(after)), after.weight, value)


def _delta(was: str, now: str) -> Delta:
    """A new goal that fails is worse than none: whoever added it wants to know. A time-out is no regression (agentops F14)."""
    if now in (GoalOutcome.SKIP, BROKEN) and was in (GoalOutcome.PASS, GoalOutcome.FAIL):
        return Delta.UNMEASURED
    if now == GoalOutcome.FAIL and was in (GoalOutcome.PASS, NEW):
        return Delta.REGRESSED
    if now == GoalOutcome.PASS and was in (GoalOutcome.FAIL, BROKEN):
        return Delta.IMPROVED
    return Delta.UNCHANGED


def _gone(before: GoalResult) -> Delta:
    """A goal that passed and is no longer asked about is guarded by nobody; one that failed was given up."""
    return Delta.REGRESSED if before.outcome is GoalOutcome.PASS else Delta.UNCHANGED


def _word(goal: GoalResult) -> str:
    return BROKEN if goal.broken else str(goal.outcome)
