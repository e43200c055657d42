"""All goals measured again after the work: what passed and now fails, and whether the target itself moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope

Measure = Callable[[Place, Scope], Fitness | None]
OnceMore = Callable[[frozenset[str], Place, Scope], Again]
Sample = Callable[[str, int, Place, Scope], Sequence[GoalResult]]
"""One goal's check so many times, with nothing beside it."""


class GoalsCheck:
    """Every goal against the start of the cycle. `after` holds the last measurement, for the row and the next start."""

    name = "goals"

    def __init__(self, before: Fitness, target: Goal | None, measure: Measure, once_more: OnceMore, sample: Sample) -> None:
        self._before = before
        self._target = target
        self._measure = measure
        self._once_more = once_more
        self._sample = sample
        self.after: Fitness | None = None

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        self.after = self._measure(place, scope)
        if self.after is None:
            return [Finding(FindingKind.GATE_ERROR, "goals", "the goals could not be measured after the work")]
        found = list(compare(self._before, self.after))
        if self._target is not None:
            found.append(self._on_target(self._target, self.after, place, scope))
        return found

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        return self._once_more(subjects, place, scope)

    def _on_target(self, goal: Goal, after: Fitness, place: Place, scope: Scope) -> Finding:
        """A number that moved is measured again: what lies within its own noise is luck. So is one pass of a noisy check."""
        then, now = self._before.of(goal.id), after.of(goal.id)
        if now is not None and now.reused:  # whether the work helped is never a matter of memory
            now = next(iter(self._sample(goal.id, 1, place, scope)), None)
        moved = target_moved(goal, then, now)
        doubtful = moved.kind is FindingKind.TARGET_MOVED or (moved.kind is FindingKind.TARGET_REACHED and goal.volatile)
        if not doubtful or now is None or scope.stopped() is not None:
            return moved
        times = VOLATILE_TIMES if goal.volatile else 1
        again = self._sample(goal.id, times, place, scope)
        if len(again) < times:
            return Finding(FindingKind.GATE_ERROR, goal.id, "the target's own check could not be run again")
        return target_held(goal, then, (now, *again))


_HELPED = frozenset({FindingKind.TARGET_REACHED, FindingKind.TARGET_MOVED})
VOLATILE_TIMES = 2
"""How often a goal that calls itself volatile is measured again before it is believed; others once."""


def compare(before: Fitness, after: Fitness) -> Iterator[Finding]:
    """pass → fail is a regression; pass → skip or broken is only noted; what passes now proves that the gate ran.

    A check that was kept from its work (time-out, no process to be had) is doubted like one that fails: it runs once more,
    and work whose checks can't speak is not kept. A broken guard was once kept because its check could not be started.
    """
    for was in before.goals:
        now = after.of(was.goal_id)
        if was.outcome is not GoalOutcome.PASS:
            continue
        if now is None:
            yield Finding(FindingKind.NOTE, was.goal_id, "passed at the start and is not measured any more")
        elif now.out_of_memory:
            yield Finding(FindingKind.GATE_ERROR, was.goal_id, "its check was killed, most likely for want of memory")
        elif now.speechless:
            yield Finding(FindingKind.GOAL, was.goal_id, f"passed at the start, its check {_kept_from(now)} now")
        elif now.failing:
            yield Finding(FindingKind.GOAL, was.goal_id, f"passed at the start, fails now: {_short(now.output)}")
        elif now.broken or now.outcome is GoalOutcome.SKIP:
            yield Finding(FindingKind.NOTE, was.goal_id, "passed at the start, could not be checked now")
    for now in after.goals:
        if now.outcome is GoalOutcome.PASS and not now.reused:  # what did not run proves nothing about the work
            yield Finding(FindingKind.RAN, now.goal_id, "passes")


def target_moved(goal: Goal, then: GoalResult | None, now: GoalResult | None) -> Finding:
    """Whether the goal that was worked on passes now, or its value moved in the right direction."""
    if now is None or now.speechless:
        why = "is not measured any more" if now is None else _kept_from(now)
        return Finding(FindingKind.GATE_ERROR, goal.id, f"the target's own check {why}")
    if now.outcome is GoalOutcome.PASS:
        return Finding(FindingKind.TARGET_REACHED, goal.id, "its check passes")
    if goal.metric and then is not None and then.value is not None and now.value is not None:
        gain = now.value - then.value if goal.metric == "higher" else then.value - now.value
        if gain > 0:
            return Finding(FindingKind.TARGET_MOVED, goal.id, f"{then.value:g} → {now.value:g}")
    return Finding(FindingKind.TARGET_UNMOVED, goal.id, f"its check still fails: {_short(now.output)}")


def _kept_from(now: GoalResult) -> str:
    return "timed out" if now.timed_out else "could not be started" if now.not_started else "was killed"


def target_held(goal: Goal, then: GoalResult | None, seen: Sequence[GoalResult]) -> Finding:
    """What several measurements of one tree say together: the worst of them counts, and only beyond their own spread.

    The spread stands for the start's noise too, which was measured once (evolve.md section 5.8).
    """
    found = [target_moved(goal, then, one) for one in seen]
    if (doubt := next((one for one in found if one.kind not in _HELPED), None)) is not None:
        return doubt
    if all(one.kind is FindingKind.TARGET_REACHED for one in found):
        return found[0]
    values = [one.value for one in seen if one.value is not None]
    if goal.metric is None or then is None or then.value is None or len(values) < len(seen):
        return Finding(FindingKind.TARGET_UNMOVED, goal.id, "its check passes only now and then")
    worst = min(values) if goal.metric == "higher" else max(values)
    gain, spread = abs(worst - then.value), max(values) - min(values)
    moved = f"{then.value:g} → {worst:g}"
    if gain > spread:
        return Finding(FindingKind.TARGET_MOVED, goal.id, moved)
    return Finding(FindingKind.TARGET_UNMOVED, goal.id, f"{moved} lies within its noise of {spread:g}")


def _short(output: str) -> str:
    line = output.strip().splitlines()[-1] if output.strip() else "(it printed nothing)"
    return line[:160]
