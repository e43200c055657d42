"""`ao goals measure`: measure here and now, in any folder; a person who types it always gets a fresh measurement."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from agentops.app.opening import Here, open_here
from agentops.core.errors import AoError, EnvironmentUnusable, ExitCode, UnusableFile
from agentops.core.fitness import Fitness
from agentops.goals.checks import Watch
from agentops.goals.document import GoalsDocument, find_goals_file, load
from agentops.goals.folder import Folder
from agentops.goals.measure import measure as measure_goals
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals


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
    document, here = _goals(cwd, env, file)
    if on_problem is not None:
        for one in document.problems:
            on_problem(f"{document.path}:{one.line}: {one.text}")
    clock = SystemClock()
    with Signals() as signals:
        scope = StopScope(clock, signals=signals)
        found = measure_goals(
            document,
            Folder(cwd, env, run=f"measure-{os.getpid()}"),
            Launcher(clock),
            scope,
            per_goal=timeout,
            whole=total_timeout,
            only=None if goal is None else (goal,),
            watch=watch,
            git_sha=here.repository.head[:7] if here else "",
        )
        stopped = scope.stopped()
    if found is None:
        raise Interrupted(stopped.detail, stopped.exit_code) if stopped else Interrupted()
    return found


class Interrupted(AoError):
    """The measurement was stopped; nothing was written."""

    mend = "ao goals measure"

    def __init__(self, message: str | None = None, code: ExitCode = ExitCode.UNEXPECTED) -> None:
        super().__init__(message)
        self.exit_code = code


def _goals(cwd: str, env: Mapping[str, str], file: str | None) -> tuple[GoalsDocument, Here | None]:
    try:
        here: Here | None = open_here(cwd, env, to_work=False)
    except EnvironmentUnusable:
        here = None  # goals are measured in any folder; without git the sha is empty
    path = os.path.join(cwd, file) if file else find_goals_file(cwd, here.repository.top if here else None)
    if path is None:
        raise UnusableFile("there is no GOALS.md here or above", mend="write one with a `## Gates` table (README has an example)")
    return load(path), here
