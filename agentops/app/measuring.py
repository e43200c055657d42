"""`ao goals measure`: measure here and now, in any folder; a person who types it always gets a fresh measurement."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping

from agentops.app.check_times import store_pace, stored_pace
from agentops.app.goal_files import Opened, open_goals, remember
from agentops.core.errors import AoError, ExitCode
from agentops.core.fitness import Fitness
from agentops.goals.checks import Watch
from agentops.goals.folder import Folder
from agentops.goals.measure import measure as measure_goals
from agentops.goals.pace import Pace
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals
from agentops.records import snapshots


def measure(
    cwd: str,
    env: Mapping[str, str],
    *,
    goal: str | None,
    timeout: float,
    total_timeout: float | None,
    file: str | None,
    watch: Watch | None = None,
    on_problem: Callable[[str], None] | None = None,
) -> Fitness:
    """All goals of the nearest goals file, or one; checks run in the person's folder, as upstream does.

    `on_problem` is told first what of the file was not read, with its line.
    """
    opened = open_goals(cwd, env, file)
    if on_problem is not None:
        for one in opened.document.problems:
            on_problem(f"{opened.document.path}:{one.line}: {one.text}")
    only = None if goal is None else (goal,)
    found = measure_opened(opened, env, only=only, timeout=timeout, total_timeout=total_timeout, watch=watch)
    if only is None:
        keep(opened, found, env, on_problem)
    return found


def keep(opened: Opened, fitness: Fitness, env: Mapping[str, str], on_problem: Callable[[str], None] | None) -> None:
    """Remember a whole measurement; that it could not be written is said, and the measurement counts."""
    try:
        remember(opened, fitness, env)
    except OSError as error:
        if on_problem is not None:
            on_problem(f"the measurement could not be kept for `ao goals drift`: {error.strerror}")


def measure_opened(
    opened: Opened,
    env: Mapping[str, str],
    *,
    only: Collection[str] | None = None,
    timeout: float,
    total_timeout: float | None = None,
    watch: Watch | None = None,
) -> Fitness:
    """The goals of an opened file, or some of them, measured in the person's folder. Raises Interrupted when stopped."""
    clock = SystemClock()
    state = opened.here.state if opened.here else ""
    pace = stored_pace(state) if state else Pace()
    earlier = snapshots.latest(os.path.join(opened.top, snapshots.MEASURED), goals_file=opened.name).snapshot
    with Signals() as signals:
        scope = StopScope(clock, signals=signals, pulse=None if watch is None else watch.tick)
        found = measure_goals(
            opened.document,
            Folder(opened.cwd, env, run=f"measure-{os.getpid()}"),
            Launcher(clock),
            scope,
            per_goal=timeout,
            whole=total_timeout,
            only=only,
            watch=watch,
            last=earlier.fitness if earlier else None,
            pace=pace,
            git_sha=opened.here.repository.head[:7] if opened.here else "",
        )
        stopped = scope.stopped()
    if state and not env.get("AO_RUN_ID"):
        store_pace(state, pace)
    if found is None:
        raise Interrupted(stopped.detail, stopped.exit_code) if stopped else Interrupted()
    return found


class Interrupted(AoError):
    """The measurement was stopped; nothing was written."""

    mend = "ao goals measure"

    def __init__(self, message: str | None = None, code: ExitCode = ExitCode.UNEXPECTED) -> None:
        super().__init__(message)
        self.exit_code = code
