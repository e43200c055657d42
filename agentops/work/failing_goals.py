"""The rung of failing goals: what fails now, heaviest first (evolve.md section 3, rung 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentops.core.fitness import Goal, GoalOutcome, GoalResult
from agentops.core.judging import Verdict
from agentops.core.stops import Scope
from agentops.core.work import Offer, PassedOver, Seen, WorkItem, World


class FailingGoals:
    """Offers every failing goal that is not broken, resting or declined. Claims nothing: goals belong to the lease."""

    name = "goal"

    def __init__(self, goals: Callable[[], tuple[Goal, ...]], run: str) -> None:
        self._goals = goals
        self._run = run

    def look(self, scope: Scope) -> Seen:
        return {goal.id: goal for goal in self._goals()}

    def offer(self, world: World, seen: Seen) -> Offer:
        goals: Mapping[str, Goal] = seen if isinstance(seen, Mapping) else {}
        if world.fitness is None:
            return Offer(passed_over=(PassedOver("goals", "they could not be measured"),)) if goals else Offer()
        items: list[WorkItem] = []
        passed: list[PassedOver] = []
        for result in sorted(world.fitness.goals, key=lambda result: -result.weight):
            goal = goals.get(result.goal_id)
            why = _why_not(goal, result, world)
            if why is not None:
                passed.append(PassedOver(result.goal_id, why))
            elif goal is not None and result.failing:
                items.append(_item(goal, result))
        return Offer(tuple(items), tuple(passed))

    def claim(self, item: WorkItem) -> str | None:
        return f"{self._run}:{item.key}"

    def settle(self, item: WorkItem, token: str, verdict: Verdict) -> None:
        return None


def _why_not(goal: Goal | None, result: GoalResult, world: World) -> str | None:
    """Why a goal that does not pass is no work now; None for one that passes or is offered."""
    if result.broken:
        return "its gate is broken: the check itself cannot run"
    if result.outcome is GoalOutcome.SKIP:
        what = "timed out" if result.timed_out else "could not be started" if result.not_started else "was skipped"
        return f"its check {what}"
    if result.outcome is GoalOutcome.PASS:
        return None
    if goal is None:
        return "it is no longer in the goals file"
    return world.resting.get(result.goal_id) or world.declined.get(result.goal_id)


def _item(goal: Goal, result: GoalResult) -> WorkItem:
    return WorkItem(
        source=FailingGoals.name,
        key=goal.id,
        title=goal.description or goal.id,
        prompt=f"Make the goal `{goal.id}` pass: {goal.description}",
        check=goal.check,
        fix=goal.fix,
        metric=goal.metric,
        timeout=goal.timeout,
        weight=goal.weight,
        output=result.printed,
    )
