"""Measuring goals: every check run as a person would type it, its end mapped to pass, fail or skip (evolve.md section 2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from agentops.core.fitness import Fitness, Goal, GoalResult
from agentops.core.processes import Exit, Host
from agentops.core.stops import Scope
from agentops.goals.document import GoalsDocument
from agentops.goals.folder import Startable
from agentops.goals.pace import Pace


def measure(
    document: GoalsDocument,
    place: Startable,
    host: Host,
    scope: Scope,
    *,
    per_goal: float = 60.0,
    whole: float | None = 75.0,
    only: Collection[str] | None = None,
    on_progress: Callable[[GoalResult], None] | None = None,
    on_exit: Callable[[Goal, Exit], None] | None = None,
    env: Mapping[str, str] | None = None,
    last: Fitness | None = None,
    pace: Pace | None = None,
    git_sha: str = "",
) -> Fitness | None:
    raise NotImplementedError


def still_failing(
    document: GoalsDocument, ids: Collection[str], place: Startable, host: Host, scope: Scope, *, per_goal: float = 60.0
) -> frozenset[str]:
    raise NotImplementedError
