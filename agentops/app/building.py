"""The loop's parts, made from settings and a repository."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentops.app.agents import crew_of
from agentops.app.baselines import baselines_of
from agentops.app.loop_directives import directives
from agentops.app.loop_gate import LoopGate, gate_costs
from agentops.app.loop_goals import LoopGoals
from agentops.app.loop_queue import harvested, person_edits, released_noted, take_released
from agentops.app.loop_telemetry import LoopTelemetry
from agentops.app.opening import Here
from agentops.app.queue_names import TARGETS
from agentops.app.shelter import masked_paths
from agentops.app.telling import Telling
from agentops.core.agents import Usage
from agentops.core.processes import Limits, SandboxLevel
from agentops.core.stops import Scope, Stop
from agentops.core.work import Worker
from agentops.evolve.guard import StateGuard
from agentops.evolve.journal import FileJournal
from agentops.evolve.journal_lines import JournalState
from agentops.evolve.ledger import FileLedger
from agentops.evolve.own_files import GUARDED, LEDGER
from agentops.evolve.parts import Parts
from agentops.evolve.queue_guard import QueueGuard
from agentops.evolve.standings import Standings
from agentops.evolve.unbooked import Unbooked
from agentops.gate.named import named
from agentops.gate.systems import GateCommand, survey
from agentops.goals.document import find_goals_file
from agentops.host.disk import free_bytes
from agentops.host.folders import private_folder
from agentops.host.git import Git
from agentops.host.scope import StopScope
from agentops.host.signals import Signals
from agentops.host.survivors import end, marked
from agentops.meter.session import Caps, SessionMeter, WorkingTime
from agentops.policy.settings import SandboxMode, Settings
from agentops.records.event_log import EventLog
from agentops.records.rows import CycleRow, last_cycle
from agentops.rpi.artifacts import Artifacts
from agentops.rpi.crew import Crew
from agentops.rpi.harvesting import Harvesting
from agentops.rpi.own_check import OwnCheck
from agentops.rpi.phase_folders import PLAIN_COMMAND, PhaseFolders
from agentops.rpi.phases import Phases
from agentops.rpi.prompting import Prompts
from agentops.rpi.remedy import Remedy
from agentops.rpi.toolbox import RepositoryTools
from agentops.tree.commits import commit_paths
from agentops.tree.inplace import InPlace
from agentops.tree.naming import repository_name
from agentops.tree.refs import read_head
from agentops.work.failing_goals import FailingGoals
from agentops.work.ladder import Ladder


@dataclass(frozen=True, slots=True)
class Built:
    """A loop and what the composition still needs of it."""

    parts: Parts
    goals: LoopGoals
    journal: FileJournal
    events: Telling
    commands: tuple[GateCommand, ...]
    crew: Crew | None = None


def build(
    settings: Settings, here: Here, session: str, run: str, state: JournalState, journal: FileJournal, signals: Signals
) -> tuple[Scope, Built]:
    """Everything a supervisor needs, wired together; nothing is written and nothing runs yet but `make -n` and the like."""
    top, clock = here.repository.top, here.clock
    crew = crew_of(settings, here)
    time = WorkingTime(clock, state.worked if not state.ended else 0.0)
    caps = Caps(settings.max_usd, settings.max_tokens)
    meter = SessionMeter(clock, time, settings.hours, settings.until, caps, Usage() if state.ended else state.spent)
    journal.worked = time.seconds
    scope = StopScope(clock, here.stop_files, signals, pulse=journal.beat, extra=(meter.overrun,))
    events = Telling(EventLog(here.events, clock, run), clock, run)
    git = Git(here.host, scope.closing(), top, here.env)
    place = InPlace(
        here.repository,
        git,
        clock,
        run,
        here.host.level,
        env=here.env,
        run_hooks=settings.run_hooks,
        masked=masked_paths(settings, here),
        found=here.found,
    )

    def head() -> str:
        return read_head(here.repository.git_dir, here.repository.common_dir).sha or ""

    keeping = None if settings.skip_baseline else clock
    goals = LoopGoals(lambda: find_goals_file(here.cwd, top), top, here.state, here.host, events, head, keeping)
    commands = gate_commands(settings, here, scope)
    ledger_path = os.path.join(top, LEDGER)

    def number() -> int:
        return max(journal.last_cycle(), last_cycle(ledger_path)) + 1

    standings = Standings(os.path.join(here.state, TARGETS), ledger_path)
    sources = (
        harvested(settings, here, run=run, number=number, leased=True),
        directives(lambda: goals.document, lambda: standings.of, top, run),
        FailingGoals(lambda: goals.goals, run),
    )

    def commit_ledger(row: CycleRow) -> str | None:
        title = f"evolve: cycle {row.cycle} -- {row.target} {row.result}"
        mark = f"ao:{run}/{row.cycle}"
        paths = (LEDGER, *baselines_of(goals.document, top))
        return commit_paths(here.repository, git, paths, title, mark=mark, run_hooks=settings.run_hooks).sha

    def reap(runs: tuple[str, ...]) -> int:
        return end(tuple(process for one in runs for process in marked(one)), clock)

    def paused() -> bool:
        return os.path.lexists(here.pause)

    def after_cycle() -> Stop | None:
        return scope.after_cycle()

    parts = Parts(
        clock=clock,
        place=place,
        ladder=Ladder(sources),
        workers=_workers(settings, here, journal, events, meter, crew, scope, paused),
        gate=LoopGate(goals, commands, here.host, top, settings.gate_timeout, gate_costs(here), settings.gate_network),
        goals=goals,
        journal=journal,
        events=events,
        meter=meter,
        ledger=FileLedger(ledger_path, commit_ledger, standings),
        released=lambda: take_released(here),
        released_noted=lambda: released_noted(here),
        unbooked=Unbooked(os.path.join(here.state, "unbooked.json")),
        guard=QueueGuard(StateGuard(top, GUARDED, os.path.join(here.state, "guard")), top, lambda: person_edits(here)),
        telemetry=LoopTelemetry(top, here.state, session, clock, events, _artifacts(settings, here)),
        settings=settings,
        session=session,
        run=run,
        reap=reap,
        after_cycle=after_cycle,
        pause_asked=paused,
        room=lambda: free_bytes(here.state),
    )
    return scope, Built(parts, goals, journal, events, commands, crew)


def gate_commands(settings: Settings, here: Here, scope: Scope) -> tuple[GateCommand, ...]:
    """What the owner wrote down, else what the repository's build systems offer."""
    if settings.gate_commands is not None:
        return named(settings.gate_commands)
    return survey(here.repository.top, here.env, here.host, scope).commands


def sandbox_level(settings: Settings) -> SandboxLevel | None:
    """What the launcher holds trees with; None: the strongest that works here."""
    return SandboxLevel.GROUP if settings.sandbox is SandboxMode.OFF else None


def _workers(
    settings: Settings,
    here: Here,
    journal: FileJournal,
    events: Telling,
    meter: SessionMeter,
    crew: Crew | None,
    scope: Scope,
    paused: Callable[[], bool],
) -> tuple[Worker, ...]:
    """`remedy` first: what a command can mend needs no model. `phases` only where there is an agent."""
    limits = Limits(total=settings.phase_timeout, idle=settings.idle_timeout)
    remedy = Remedy(here.host, limits, RepositoryTools(here.repository.top, here.env))
    if crew is None:
        return (remedy,)
    journal.agent = crew.members[0].name
    plain = any(member.name == PLAIN_COMMAND for member in crew.members)
    folders = PhaseFolders(phases_live(here.env), phases_home(here), exit_speaks=plain)
    phases = Phases(
        crew,
        folders,
        journal,
        events,
        meter,
        prompts_of(settings, here),
        confirm=OwnCheck(here.host).failure,
        harvest=Harvesting(scope, events, repository_name(here.repository.top, here.repository.common_dir)),
        attempts=settings.attempts,
        test_first=settings.test_first,
        asked_to_pause=paused,
    )
    return (remedy, phases)


def prompts_of(settings: Settings, here: Here) -> Prompts:
    """The templates of the session. Raises BrokenPrompt (exit 2), with or without an agent that would read them."""
    folder = settings.prompts_dir
    return Prompts(os.path.join(here.repository.top, os.path.expanduser(folder)) if folder else None)


def phases_home(here: Here) -> str:
    """Where the folders of finished phases end up."""
    return os.path.join(here.state, "phases")


def _artifacts(settings: Settings, here: Here) -> Artifacts:
    return Artifacts(here.repository.top, phases_home(here), test_first=settings.test_first)


def phases_live(env: Mapping[str, str]) -> str:
    """Where live phase folders lie: outside every repository, ours alone."""
    base = env.get("XDG_CACHE_HOME") or (os.path.join(env["HOME"], ".cache") if env.get("HOME") else "")
    if not base or not os.path.isabs(base) or not os.access(os.path.dirname(base), os.W_OK):
        return private_folder("phases")
    return os.path.join(base, "ao", "phases")
