"""`ao evolve` from settings to report: opening, lease, session, the loop's parts, and its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

from agentops.app.agents import crew_of
from agentops.app.building import Built, build, phases_home, phases_live, sandbox_level
from agentops.app.ending import Began, Ending, quality_now
from agentops.app.lease import lease
from agentops.app.loop_goals import NoGoals
from agentops.app.loop_queue import free_items
from agentops.app.opening import Here, open_here
from agentops.app.preflight import Preflight
from agentops.app.shelter import check_shelter
from agentops.app.start_lines import start_lines, staying_awake
from agentops.app.stopping import forget_fulfilled_stop, forget_own_stop, is_for_the_session_that_goes_on, stop_file_there
from agentops.core.errors import AoError, EnvironmentUnusable, ExitCode
from agentops.core.events import Event
from agentops.core.journals import Step
from agentops.core.processes import SandboxLevel
from agentops.core.stops import Stop, StopReason
from agentops.evolve.journal import FileJournal, read_state
from agentops.evolve.journal_lines import JournalState
from agentops.evolve.quarantine import in_quarantine
from agentops.evolve.report import SessionReport
from agentops.evolve.session_ids import run_id, session_id
from agentops.evolve.supervisor import Supervisor
from agentops.host.awake import awake
from agentops.host.clock import SystemClock
from agentops.host.files import ensure_folder
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals
from agentops.host.survivors import end, marked
from agentops.host.trees import Process
from agentops.policy.settings import SandboxMode, Settings
from agentops.rpi.forgetting import forget_old_runs
from agentops.tree.exclude import exclude_local
from agentops.tree.prune import prune

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Session:
    """`continued`: the last one was cut off and goes on, with its streaks, rests and spent time."""

    id: str
    run: str
    continued: bool
    state: JournalState


def evolve(settings: Settings, *, cwd: str, env: Mapping[str, str], say: Say) -> SessionReport:
    """Run the loop here until it ends. Raises AoError when it cannot start."""
    clock = SystemClock()
    host = Launcher(clock, sandbox_level(settings))
    with Signals(hangup=not settings.detached) as signals:
        here = _here(cwd, env, host)
        if settings.sandbox is SandboxMode.STRICT and host.level is not SandboxLevel.BWRAP:
            raise EnvironmentUnusable(
                f"--sandbox strict: only the level `{host.level}` works here", mend="ao evolve --sandbox auto"
            )
        check_shelter(settings, here)
        crew_of(settings, here)  # a named agent that is not there is found out before anything is touched
        if (fulfilled := forget_fulfilled_stop(here)) is not None:
            say(fulfilled)
        if (already := _stopped_already(here, signals)) is not None and not is_for_the_session_that_goes_on(here):
            return nothing_done(already, here)
        try:
            scope = StopScope(here.clock, here.stop_files, signals)
            with awake(here.env, scope) if settings.stay_awake else nullcontext("") as keeper:
                told = (*settings.notices, *staying_awake(settings, keeper))
                return _with_lease(replace(settings, notices=told), here, signals, say)
        except OSError as error:
            raise EnvironmentUnusable(
                f"{error.filename or here.state}: {error.strerror or error}", mend=f"ls -ld {here.state} {here.agents}; df -h ."
            ) from error


def _here(cwd: str, env: Mapping[str, str], host: Launcher) -> Here:
    """The repository. A detached HEAD or an operation of git's is refused, unless a cycle that was cut off left it so:
    then recovery puts it in order first, and the next cycle looks again.
    """
    try:
        return open_here(cwd, env, host)
    except EnvironmentUnusable:
        here = open_here(cwd, env, host, to_work=False)
        if read_state(here.journal).open is None:
            raise
        return here


def exit_code(report: SessionReport, settings: Settings) -> ExitCode:
    """The process's exit code: the stop's own; with `--strict-exit` 3 when there was work and nothing was kept."""
    worked = any(row.source for row in report.rows)
    kept = any(row.productive for row in report.rows)
    if settings.strict_exit and report.stop.exit_code is ExitCode.PLANNED and worked and not kept:
        return ExitCode.STRICT
    return report.stop.exit_code


def _with_lease(settings: Settings, here: Here, signals: Signals, say: Say) -> SessionReport:
    """Everything that writes happens under the lease."""
    ensure_folder(here.state)
    path = here.journal
    session = _session(read_state(path), here)
    exclude_local(here.repository)
    with lease(here, session.run, after_crash=session.state.open is not None):
        session = _session(read_state(path), here)  # another run may have ended between the two looks
        survivors = end(_marked(session.state.runs), here.clock)
        journal = FileJournal(path, here.clock)
        journal.run = session.run
        scope, built = build(settings, here, session.id, session.run, session.state, journal, signals)
        if built.goals.problem is not None and session.state.open is None and not _other_work(built, settings, here):
            raise built.goals.problem
        if built.crew is not None and settings.preflight and session.state.open is None:
            asking = Preflight(built.parts.place, here.host, here.clock, built.parts.meter, phases_live(here.env), say)
            asking.ask(built.crew, StopScope(here.clock, here.stop_files, signals))
        if settings.clear_quarantine:
            built.parts.ledger.release(tuple(built.parts.ledger.standings), built.parts.ledger.last_cycle() + 1)
        _begin(session, built, here)
        for line in _opening_words(session, settings, here, built, survivors):
            say(line)
            built.events.emit(Event.NOTICE, text=line)
        built.events.listen(say)
        quality = quality_now(here, "session start")
        report = Supervisor(built.parts).run(scope)
        _tidy_up(session, here, built)
        goals = built.goals.document.raw if built.goals.document is not None else None
        began = Began(quality, goals, settled=built.journal.open_cycle() is None)
        return Ending(here, settings, scope.closing(), exit_code(report, settings), began).finish(report)


def _other_work(built: Built, settings: Settings, here: Here) -> bool:
    """Without a goals file the goal rung and the goal gate are off; that is no reason to stop while the queue has work."""
    return isinstance(built.goals.problem, NoGoals) and free_items(settings, here) > 0


def _tidy_up(session: Session, here: Here, built: Built) -> None:
    """After the loop: our own stop file goes, old snapshots go. Whatever fails here must not cost the report."""
    try:
        forget_own_stop(here)
        if built.journal.open_cycle() is None:
            prune(here.repository, here.git, here.clock)
            forget_old_runs(phases_home(here), here.agents, here.clock)
    except (AoError, OSError) as error:
        built.events.emit(Event.NOTICE, text=f"old snapshots were not removed: {error}")


def _begin(session: Session, built: Built, here: Here) -> None:
    """The session's and the run's first lines in journal and events."""
    journal = built.journal
    if not session.continued:
        journal.begin_session(session.id, head=here.repository.head, last_cycle=session.state.last_cycle)
    journal.note(Step.RUN, pid=os.getpid())
    name = Event.SESSION_CONTINUED if session.continued else Event.SESSION_STARTED
    built.events.emit(name, session=session.id, pid=os.getpid(), head=here.repository.head, level=here.host.level)


def _opening_words(session: Session, settings: Settings, here: Here, built: Built, survivors: int) -> tuple[str, ...]:
    began = "continues" if session.continued else "starts"
    words = [f"session {session.id} {began} (run {session.run})"]
    if survivors:
        words.append(f"{survivors} processes of an earlier run could not be ended")
    words += here.notices
    words += settings.notices
    if built.goals.document is None:
        words.append("there is no goals file: goals neither give work nor judge it")
    else:
        words += [f"{built.goals.path}:{one.line}: {one.text}" for one in built.goals.document.problems]
    words += [f"{target}: {why}" for target, why in in_quarantine(built.parts.ledger.standings).items()]
    words += start_lines(settings, here, here.host.level, built.commands, built.goals.goals, built.crew)
    return tuple(words)


def _session(state: JournalState, here: Here) -> Session:
    """Continue a session that was cut off, else begin a new one."""
    if state.session is not None and not state.ended:
        return Session(state.session, run_id(state.session, len(state.runs) + 1), True, state)
    fresh = session_id(here.clock.now().wall, os.urandom(2).hex())
    return Session(fresh, run_id(fresh, 1), False, state)


def _marked(runs: tuple[str, ...]) -> tuple[Process, ...]:
    return tuple(process for run in runs for process in marked(run))


def _stopped_already(here: Here, signals: Signals) -> Stop | None:
    """A stop file that is there before we begin: nothing is done, and it is said with its age."""
    scope = StopScope(here.clock, here.stop_files, signals)
    found = scope.stopped() or scope.after_cycle()
    if found is None:
        return None
    there = stop_file_there(here)
    return Stop(StopReason.KILL_SWITCH, f"nothing was done: {there}") if there is not None else found


def nothing_done(stop: Stop, here: Here) -> SessionReport:
    """The report of a start that was not allowed to begin."""
    now = here.clock.now().wall
    head = here.repository.head
    return SessionReport("", "", now, now, 0.0, stop, head_before=head, head_after=head)
