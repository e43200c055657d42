"""Whether a directive's gates and target came closer: read from the goals as they were measured before and after the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentops.core.fitness import Fitness, GoalOutcome
from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope
from agentops.goals.directives import Directive


class DirectiveCheck:
    """Measures nothing itself. `after`: the goals on the cycle's result, None when they could not be measured."""

    name = "directive"

    def __init__(self, directive: Directive, before: Fitness, after: Callable[[], Fitness | None]) -> None:
        self._directive, self._before, self._after = directive, before, after

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        after = self._after()
        return [closer(self._directive, self._before, after)] if after is not None else []

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        return Again(failing=subjects)


def closer(one: Directive, before: Fitness, after: Fitness) -> Finding:
    """Reached: every gate passes and the target is met. Moved: more gates pass, or the number came nearer to its bound."""
    then, now = _passing(one, before), _passing(one, after)
    was, value = _distance(one, before), _distance(one, after)
    if len(now) == len(one.gates) and (one.target is None or value == 0.0):
        return Finding(FindingKind.TARGET_REACHED, one.key, "its gates pass and its target is met")
    if then < now and (was is None or value is None or value <= was):
        return Finding(FindingKind.TARGET_MOVED, one.key, f"{', '.join(sorted(now - then))} passes now")
    if was is not None and value is not None and value < was and then <= now:
        return Finding(FindingKind.TARGET_MOVED, one.key, f"`{one.target}`: nearer by {was - value:g}")
    return Finding(FindingKind.TARGET_UNMOVED, one.key, "neither its gates nor its target moved")


def _passing(one: Directive, fitness: Fitness) -> frozenset[str]:
    return frozenset(g for g in one.gates if (seen := fitness.of(g)) is not None and seen.outcome is GoalOutcome.PASS)


def _distance(one: Directive, fitness: Fitness) -> float | None:
    """How far the number is from its bound; 0 when it is where it shall be, None when there is no number."""
    seen = fitness.of(one.target.goal_id) if one.target is not None else None
    if one.target is None or seen is None or seen.value is None:
        return None
    return 0.0 if one.target.met(seen.value) else max(abs(seen.value - one.target.bound), 1e-12)
