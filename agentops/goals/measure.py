"""Measuring goals: every check run as a person would type it, its end mapped to pass, fail or skip (evolve.md section 2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from agentops.core.errors import UsageError
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult, GoalType
from agentops.core.judging import Again
from agentops.core.places import Startable
from agentops.core.processes import Host
from agentops.core.stops import Scope
from agentops.goals.checks import Checks, Watch
from agentops.goals.document import GoalsDocument
from agentops.goals.pace import Pace, alone, longest_first
from agentops.records.times import utc_text

PER_GOAL = 60.0
WHOLE = 75.0


def measure(
    document: GoalsDocument,
    place: Startable,
    host: Host,
    scope: Scope,
    *,
    per_goal: float = PER_GOAL,
    whole: float | None = WHOLE,
    only: Collection[str] | None = None,
    known: Mapping[str, GoalResult] | None = None,
    watch: Watch | None = None,
    env: Mapping[str, str] | None = None,
    last: Fitness | None = None,
    pace: Pace | None = None,
    git_sha: str = "",
) -> Fitness | None:
    """Run the checks and say what they found, meta goals first, then in the order of the file; None when the scope stopped it.

    `per_goal` and `whole` are seconds (`whole` None: no limit); a goal's own `timeout` takes the place of the first and
    adds what it has more to the second. What the whole limit cuts off is `skip`. `only`: ids; one that is not there raises
    UsageError. `known`: results that hold already; their checks are not run. `last` and `pace` (kept by the caller) tell
    what takes long. Raises EnvironmentUnusable when there is no bash.
    """
    goals = _wanted(document, only)
    checks = Checks(document.path, place, host, scope, dict(env or {}), watch or Watch(), pace if pace is not None else Pace())
    checks.watch.began(len(goals))
    for goal in goals:
        if known is not None and goal.id in known:
            checks.found(known[goal.id])
    took = {result.goal_id: result.seconds for result in last.goals if not result.timed_out} if last else {}
    limits = {goal.id: goal.timeout if goal.timeout is not None else per_goal for goal in goals}
    extra = sum(max(0.0, limit - per_goal) for limit in limits.values())
    bound = scope.within(whole + extra) if whole is not None else scope
    runnable = checks.runnable(goals)
    for goal in runnable:
        if goal.type is GoalType.META and not checks.alone(goal, limits[goal.id], bound):  # before what they watch
            return None
    ready = longest_first([goal for goal in runnable if goal.type is not GoalType.META], checks.pace, took)
    together = [goal for goal in ready if not alone(goal)]
    if together and not checks.side_by_side(together, limits, bound):
        return None
    for goal in ready:
        if alone(goal) and not checks.alone(goal, limits[goal.id], bound):
            return None
    in_order = sorted(goals, key=lambda goal: goal.type is not GoalType.META)
    return Fitness(utc_text(scope.clock.now().wall), git_sha, tuple(checks.results[goal.id] for goal in in_order))


def once_more(
    document: GoalsDocument, ids: Collection[str], place: Startable, host: Host, scope: Scope, *, per_goal: float = PER_GOAL
) -> Again:
    """These goals' checks, run again: which fail, and which could not do their work (`GoalResult.speechless`, broken, stopped).

    One that says skip now has cleared itself.
    """
    asked = frozenset(goal.id for goal in document.goals if goal.id in ids)
    fitness = measure(document, place, host, scope, per_goal=per_goal, whole=None, only=asked)
    if fitness is None:
        return Again(unclear=asked)
    unclear = frozenset(goal.goal_id for goal in fitness.goals if goal.speechless or goal.broken)
    failing = frozenset(goal.goal_id for goal in fitness.goals if goal.outcome is GoalOutcome.FAIL)
    return Again(failing - unclear, unclear)


def sample(
    document: GoalsDocument,
    goal_id: str,
    times: int,
    place: Startable,
    host: Host,
    scope: Scope,
    *,
    per_goal: float = PER_GOAL,
) -> tuple[GoalResult, ...]:
    """One goal's check so many times, one after the other with nothing beside it; fewer when the scope stopped it."""
    if document.of(goal_id) is None:
        return ()
    found: list[GoalResult] = []
    for _ in range(times):
        fitness = measure(document, place, host, scope, per_goal=per_goal, whole=None, only=(goal_id,))
        if fitness is None:
            break
        found += fitness.goals
    return tuple(found)


def _wanted(document: GoalsDocument, only: Collection[str] | None) -> tuple[Goal, ...]:
    if only is None:
        return document.goals
    unknown = sorted(set(only) - {goal.id for goal in document.goals})
    if unknown:
        raise UsageError(f"{document.path} has no goal `{unknown[0]}`", mend="ao goals measure")
    return tuple(goal for goal in document.goals if goal.id in only)
