"""`ao evolve --dry-run`: what the next cycle would do, measured in memory; nothing at all is written."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.app.agents import crew_of
from agentops.app.building import gate_commands, prompts_of, sandbox_level
from agentops.app.loop_directives import directives
from agentops.app.loop_goals import NoGoals
from agentops.app.loop_queue import free_items, harvested
from agentops.app.opening import Here, open_here
from agentops.app.queue_names import TARGETS
from agentops.app.start_lines import start_lines
from agentops.app.stopping import is_for_the_session_that_goes_on, stop_file_there
from agentops.core.fitness import Fitness
from agentops.core.processes import Limits
from agentops.core.work import WorkItem, World
from agentops.evolve.journal import read_state
from agentops.evolve.own_files import LEDGER
from agentops.evolve.quarantine import in_quarantine
from agentops.evolve.report import DryRun
from agentops.evolve.rest import resting
from agentops.evolve.standings import Standings
from agentops.goals.document import GoalsDocument, find_goals_file, load
from agentops.goals.folder import Folder
from agentops.goals.measure import measure
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals
from agentops.policy.settings import Settings
from agentops.rpi.remedy import Remedy
from agentops.rpi.toolbox import RepositoryTools
from agentops.work.failing_goals import FailingGoals
from agentops.work.ladder import Ladder


def dry_run(settings: Settings, *, cwd: str, env: Mapping[str, str]) -> DryRun:
    """The ladder's table for this tree. Raises AoError where a session could not start."""
    host = Launcher(SystemClock(), sandbox_level(settings))
    with Signals() as signals:
        here = open_here(cwd, env, host, StopScope(SystemClock(), signals=signals), make=False)
        document = _document(settings, cwd, here)
        crew = crew_of(settings, here)
        state = read_state(here.journal)
        fitness = _measured(document, here, host)
        commands = gate_commands(settings, here, here.scope)
        standings = Standings(os.path.join(here.state, TARGETS), os.path.join(here.repository.top, LEDGER), write=False)
        alone = {} if settings.clear_quarantine else in_quarantine(standings.of)
        outcomes = () if state.ended else state.outcomes

        remedy = Remedy(host, Limits(), RepositoryTools(here.repository.top, here.env))
        prompts_of(settings, here)

        def able(item: WorkItem) -> str | None:
            why = remedy.declines(item)
            return f"{why}, and there is no agent" if why is not None and crew is None else None

        goals = document.goals if document else ()
        queue = harvested(settings, here, run="dry", number=lambda: 0, leased=False)
        wanted = directives(lambda: document, lambda: standings.of, here.repository.top, "dry")
        ladder = Ladder((queue, wanted, FailingGoals(lambda: goals, "dry")))
        stopped = None if is_for_the_session_that_goes_on(here) else stop_file_there(here)
        choice = ladder.choose(World(fitness, {**resting(outcomes), **alone}), able, here.scope)
    problems = tuple(f"{document.path}:{one.line}: {one.text}" for one in document.problems) if document else ()
    return DryRun(
        fitness=fitness,
        chosen=choice.item,
        source=choice.source.name if choice.source else "",
        worker="" if choice.item is None else "phases" if remedy.declines(choice.item) else "remedy",
        others=choice.others,
        more=choice.more,
        passed_over=choice.passed_over,
        limits=start_lines(settings, here, host.level, commands, goals, crew),
        stopped=stopped,
        notices=(*here.notices, *settings.notices, *problems),
    )


def _document(settings: Settings, cwd: str, here: Here) -> GoalsDocument | None:
    path = find_goals_file(cwd, here.repository.top)
    if path is not None:
        return load(path)
    if free_items(settings, here):
        return None
    raise NoGoals


def _measured(document: GoalsDocument | None, here: Here, host: Launcher) -> Fitness | None:
    if document is None:
        return None
    place = Folder(here.repository.top, here.env, run=f"dry-{os.getpid()}")
    return measure(document, place, host, here.scope, git_sha=here.repository.head[:7])
