"""Whether a check can fail at all: each is run on an empty tree, where hardly any honest one passes.

A check that passes there says nothing about the code (`vacuous?`): a grep that finds nothing in a folder that is gone, a test
runner that has no tests. It is a question and not an error: "no TODO is left" is true of nothing as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from agentops.core.fitness import Goal, GoalOutcome
from agentops.core.places import Startable
from agentops.core.processes import Host
from agentops.core.stops import Scope
from agentops.goals.checks import Watch
from agentops.goals.measure import measure
from agentops.goals.model import GoalsDocument

PER_GOAL = 30.0


@dataclass(frozen=True, slots=True)
class Falsified:
    """`vacuous`: ids of goals whose check passes on an empty tree. `unknown`: those that ended neither way there, in time."""

    vacuous: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def falsify(
    document: GoalsDocument,
    empty: Callable[[Goal], Startable],
    host: Host,
    scope: Scope,
    *,
    per_goal: float = PER_GOAL,
    watch: Watch | None = None,
) -> Falsified | None:
    """Run every check in the place that `empty` makes for it; None when the scope stopped it.

    One place each: what one check leaves behind must not let the next one pass.
    """
    vacuous: list[str] = []
    unknown: list[str] = []
    goals = [goal for goal in document.goals if not goal.unclear]
    watch = watch or Watch()
    watch.began(len(goals))
    each = replace(watch, began=lambda total: None)
    for goal in goals:
        found = measure(document, empty(goal), host, scope, per_goal=per_goal, whole=None, only=(goal.id,), watch=each)
        if found is None:
            return None
        if found.goals[0].outcome is GoalOutcome.PASS:
            vacuous.append(goal.id)
        elif found.goals[0].speechless:
            unknown.append(goal.id)
    return Falsified(tuple(vacuous), tuple(unknown))
