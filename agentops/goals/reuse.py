"""Which results of an earlier measurement still hold, so that their checks need not run. Pure but for reading `inputs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from agentops.core.clock import Instant
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.records.known_passes import KnownPass, KnownPasses

OLDEST = 24 * 3600.0
"""Seconds for which a pass is believed on equal inputs: what nobody declared changes as well in the end."""


def holds(goal: Goal, result: GoalResult) -> bool:
    """Whether a result still says something about an equal tree: not of a noisy check, nor one that depends on a network,
    nor one that was cut off, killed or could not run: a tool may be there now.
    """
    cut_off = result.timed_out and result.seconds == 0.0
    return not (goal.volatile or goal.network or result.broken or result.out_of_memory or result.not_started or cut_off)


def held(goals: Iterable[Goal], known: Fitness | None) -> dict[str, GoalResult]:
    """What still holds of a measurement of an equal tree, by goal."""
    if known is None:
        return {}
    found = {goal.id: (goal, known.of(goal.id)) for goal in goals}
    return {key: replace(result, reused=True) for key, (goal, result) in found.items() if result and holds(goal, result)}


@dataclass(slots=True)
class Passes:
    """Passes of goals that declare their `inputs`, by fingerprint; only passes, since a failing check is worked on."""

    known: KnownPasses
    fingerprint: Callable[[Goal], str | None]
    now: Callable[[], Instant]
    _before: dict[str, str] = field(default_factory=dict)

    def of(self, goals: Iterable[Goal]) -> dict[str, GoalResult]:
        """The goals that passed already with everything that they declare as it is now."""
        self._before = {goal.id: print_ for goal in goals if _declares(goal) and (print_ := self.fingerprint(goal))}
        return {
            goal.id: GoalResult(
                goal.id, GoalOutcome.PASS, goal.weight, found.seconds, found.output, value=found.value, reused=True
            )
            for goal in goals
            if (found := self.known.of(self._before.get(goal.id, ""), self.now().wall - OLDEST)) is not None
        }

    def learn(self, goals: Iterable[Goal], results: Mapping[str, GoalResult]) -> bool:
        """Remember what passed afresh and whose inputs are still as they were before; True when there is something new."""
        new = False
        for goal in goals:
            result, before = results.get(goal.id), self._before.get(goal.id)
            if result is None or before is None or result.reused or result.outcome is not GoalOutcome.PASS:
                continue
            if self.fingerprint(goal) == before:  # a check may change what it looks at, and so may a person meanwhile
                self.known.add(before, KnownPass(self.now().wall, result.seconds, result.output, result.value))
                new = True
        return new


def _declares(goal: Goal) -> bool:
    return bool(goal.inputs) and not goal.volatile and not goal.network and not goal.unclear
