"""The story of one night: goals, what an agent makes of each, a limit, a power cut, a person who works late, and a STOP."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from agentops.app.building import build, prompts_of
from agentops.app.ending import Began, Ending, quality_now
from agentops.app.evolving import exit_code
from agentops.app.opening import Here, open_here
from agentops.core.journals import Step
from agentops.core.work import AGENT_WORKER
from agentops.evolve.journal import FileJournal, read_state
from agentops.evolve.report import SessionReport
from agentops.evolve.session_ids import run_id, session_id
from agentops.evolve.supervisor import Supervisor
from agentops.host.files import ensure_folder
from agentops.host.launcher import Launcher
from agentops.host.signals import Signals
from agentops.policy.settings import Settings
from agentops.rpi.harvesting import Harvesting
from agentops.rpi.own_check import OwnCheck
from agentops.rpi.phase_folders import PhaseFolders
from agentops.rpi.phases import Phases
from agentops.tree.exclude import exclude_local
from tests.night.agent import NightAgent, PowerCut, Try
from tests.night.jumping import JumpingClock, JumpingScope
from tests.torture.ground import Ground

BEGINS, STOPPED_AFTER = 22, 8.0
_GOALS = (
    ("tests-green", "test ! -e broken", 10, "The tests pass", ""),
    ("parser-strict", "grep -q strict src/parser.txt", 9, "The parser refuses what it does not know", ""),
    ("links-alive", "test -e links/all-alive", 8, "Every link of the handbook leads somewhere", ""),
    ("startup-fast", "grep -q lazy src/start.txt", 7, "It starts in a blink", ""),
    ("docs-current", "grep -q v2 docs.txt", 6, "The handbook describes version 2", ""),
    ("types-strict", "grep -q typed src/types.txt", 5, "Types are checked strictly", ""),
    ("cache-bounded", "grep -q bounded src/cache.txt", 4, "The cache has a bound", ""),
    ("lint", "! grep -n ' $' src/parser.txt", 3, "No blanks at line ends", "sed -i 's/ *$//' src/parser.txt"),
    ("clock-sane", "test ! -e .flake || { rm .flake; false; }", 3, "Times are shown in local time", ""),
    ("big-move", "test -e moved", 1, "Everything is moved to the new layout", ""),
)


@dataclass(frozen=True)
class Night:
    """What came of it. `reports`: of every start that reached its end; `real_seconds` is what it took us."""

    reports: list[SessionReport]
    here: Here
    agent: NightAgent
    person_commit: str


def a_night(ground: Ground, say: Callable[[str], None] = lambda line: None) -> Night:
    """From 22:00 on, over a power cut, until STOP is found at six."""
    write, commit = _person(ground)
    _begin(write, commit)
    clock = JumpingClock(BEGINS)
    stop = ground.repo / ".agents" / "evolve" / "STOP"
    commits: list[str] = []

    def works_late() -> None:
        write("mine.txt", "what I thought of in bed\n")
        commits.append(commit("Write down what I thought of", "mine.txt"))

    def gets_up() -> None:
        stop.write_text("good morning\n")

    clock.at(1.6, works_late)
    clock.at(STOPPED_AFTER, gets_up)
    agent = NightAgent(clock, _tries(write))
    reports: list[SessionReport] = []
    while True:
        here = replace(open_here(str(ground.repo), ground.env(), Launcher(clock)), clock=clock, host=Launcher(clock))
        with suppress(PowerCut):
            reports.append(_start(here, agent, say))
            return Night(reports, here, agent, commits[0] if commits else "")
        say("-- the power was cut; five minutes later it is started again --")
        clock.jump(300.0)


def _start(here: Here, agent: NightAgent, say: Callable[[str], None]) -> SessionReport:
    """One start of a session, as `ao evolve` composes it, with this agent and this clock."""
    ensure_folder(here.state)
    exclude_local(here.repository)
    state = read_state(here.journal)
    session = session_id(here.clock.now().wall, "0000") if state.ended or state.session is None else state.session
    run = run_id(session, len(state.runs) + 1 if not state.ended else 1)
    journal = FileJournal(here.journal, here.clock)
    journal.run = run
    settings = Settings(stay_awake=False)
    with Signals() as signals:
        real, built = build(settings, here, session, run, state, journal, signals)
        parts = built.parts
        if state.ended:
            journal.begin_session(session, head=here.repository.head, last_cycle=state.last_cycle)
        journal.note(Step.RUN, pid=os.getpid())
        journal.agent = agent.name
        phases = Phases(
            agent,
            PhaseFolders(os.path.join(here.state, "live"), os.path.join(here.state, "phases"), exit_speaks=False),
            journal,
            built.events,
            parts.meter,
            prompts_of(settings, here),
            confirm=OwnCheck(here.host).failure,
            harvest=Harvesting(real, built.events),
        )
        remedies = tuple(worker for worker in parts.workers if worker.name != AGENT_WORKER)
        scope = JumpingScope(here.clock, here.stop_files, signals, journal.beat, extra=(parts.meter.overrun,))
        built.events.listen(say)
        quality = quality_now(here, "session start")
        report = Supervisor(replace(parts, workers=(*remedies, phases))).run(scope)
        began = Began(quality, built.goals.document.raw if built.goals.document else None, journal.open_cycle() is None)
        return Ending(here, settings, real.closing(), exit_code(report, settings), began).finish(report)


def _person(ground: Ground) -> tuple[Callable[[str, str], None], Callable[..., str]]:
    def write(name: str, text: str) -> None:
        path = Path(ground.repo, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(title: str, *paths: str) -> str:
        ground.git("add", "--", *paths)
        ground.git("commit", "-q", "-m", title, "--", *paths)
        return ground.git("rev-parse", "HEAD").decode().strip()

    return write, commit


def _begin(write: Callable[[str, str], None], commit: Callable[..., str]) -> None:
    table = "\n".join(
        f"| {name} | `{check}` | {weight} | {told} | {f'`{fix}`' if fix else ''} |" for name, check, weight, told, fix in _GOALS
    )
    write(
        "GOALS.md",
        f"# Weather station\n\n## Gates\n\n| ID | Check | Weight | Description | Fix |\n|---|---|---|---|---|\n{table}\n",
    )
    write(".gitignore", ".flake\n")
    for name in ("parser", "start", "types", "cache"):
        write(f"src/{name}.txt", "first \n")
    write("docs.txt", "v1\n")
    commit("A weather station", "GOALS.md", ".gitignore", "src", "docs.txt")


def _tries(write: Callable[[str, str], None]) -> dict[str, list[Try]]:
    def flaky(act: Callable[[], None]) -> Callable[[], None]:
        def both() -> None:
            act()
            write(".flake", "")

        return both

    def breaks() -> None:
        write("src/start.txt", "lazy\n")
        write("broken", "")

    return {
        "parser-strict": [Try(11, lambda: write("src/parser.txt", "strict \n"))],
        "links-alive": [
            Try(4, lambda: write("links/some.txt", "alive\n")),
            Try(4, lambda: write("links/more.txt", "alive\n")),
            Try(3, says="BLOCKED"),
        ],
        "startup-fast": [
            Try(6, breaks),
            Try(14, flaky(lambda: write("src/start.txt", "lazy\n"))),
        ],
        "docs-current": [Try(12, lambda: write("docs.txt", "v2\n"))],
        "types-strict": [Try(9, flaky(lambda: write("src/types.txt", "typed\n")), limit_hours=1.5)],
        "cache-bounded": [
            Try(8, lambda: write("src/cache.txt", "half\n"), cut=True),
            Try(9, lambda: write("src/cache.txt", "bounded\n")),
        ],
        "lint": [Try(3, says="BLOCKED")],
        "clock-sane": [Try(3, says="BLOCKED")],
        "tests-green": [Try(3, says="BLOCKED")],
        "big-move": [Try(70, lambda: write("moved", ""))],
    }
