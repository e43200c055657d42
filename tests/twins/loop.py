"""The loop's own parts as twins: goals, ledger, guard, records; and everything wired to the real supervisor."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agentops.core.events import Event
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again, Check, Finding
from agentops.core.places import Place
from agentops.core.stops import Scope
from agentops.core.work import WorkItem
from agentops.evolve.parts import Parts
from agentops.evolve.quarantine import NEVER, Standing, after
from agentops.gate.goals import GoalsCheck
from agentops.gate.integrity import IntegrityCheck
from agentops.meter.session import SessionMeter, WorkingTime
from agentops.policy.settings import Settings
from agentops.records.packets import PhaseResult
from agentops.records.rows import CycleRow
from agentops.rpi.phases import Phases
from agentops.rpi.prompting import Prompts
from agentops.rpi.verdicts import Phase, PhaseVerdict, from_promise
from agentops.work.failing_goals import FailingGoals
from agentops.work.ladder import Ladder
from tests.twins.agent import GOOD, TwinAgent
from tests.twins.journal import MemoryJournal
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock, VirtualScope

PROMPTS = Prompts()
GOALS = tuple(Goal(f"g{number}", f"test g{number}", f"goal {number}", weight=1 + number) for number in range(8))


@dataclass
class TwinGoals:
    """A goal passes while its file is good; sometimes a check lies once."""

    tree: TwinPlace
    clock: VirtualClock
    rng: random.Random
    flaky: float = 0.0
    there: bool = True

    def measure(self, place: Place, scope: Scope, known: Fitness | None = None) -> Fitness | None:
        self.clock.pass_(1.0)
        if scope.stopped() is not None:
            return None
        results = tuple(GoalResult(goal.id, self._outcome(goal.id), goal.weight, 0.1) for goal in GOALS)
        return Fitness("now", self.tree.commits[-1], results)

    def once_more(self, ids: frozenset[str], place: Place, scope: Scope) -> Again:
        self.clock.pass_(1.0)
        return Again(frozenset(one for one in ids if self._outcome(one) is GoalOutcome.FAIL))

    def sample(self, goal: str, times: int, place: Place, scope: Scope) -> tuple[GoalResult, ...]:
        self.clock.pass_(1.0)
        return tuple(GoalResult(goal, self._outcome(goal), 5, 0.1) for _ in range(times))

    def _outcome(self, goal: str) -> GoalOutcome:
        good = self.tree.files.get(goal) == GOOD
        return GoalOutcome.PASS if good and self.rng.random() >= self.flaky else GoalOutcome.FAIL

    def publish(self, fitness: Fitness, *, after: bool) -> None:
        return None

    def read_again(self) -> frozenset[str]:
        return frozenset()

    def about(self, paths: frozenset[str]) -> frozenset[str]:
        return frozenset()

    def fingerprint(self, goal_id: str) -> str:
        return ""

    def holds(self, known: Fitness) -> bool:
        return True


@dataclass
class TwinGate:
    goals: TwinGoals

    def checks(self, item: WorkItem, before: Fitness | None, touched: frozenset[str]) -> tuple[Check, ...]:
        integrity = IntegrityCheck("GOALS.md", touched)
        if before is None:
            return (integrity,)
        target = next((goal for goal in GOALS if goal.id == item.key), None)
        return (integrity, GoalsCheck(before, target, self.goals.measure, self.goals.once_more, self.goals.sample))

    def already(self, item: WorkItem, place: Place, scope: Scope) -> bool | None:
        return None


@dataclass
class MemoryLedger:
    rows: list[CycleRow] = field(default_factory=list)
    standings: dict[str, Standing] = field(default_factory=dict)
    head: str = ""

    def last_cycle(self) -> int:
        return max((row.cycle for row in self.rows[-50:]), default=0)

    def append(self, row: CycleRow) -> None:
        if any(seen.cycle == row.cycle and seen.session_id == row.session_id for seen in self.rows[-50:]):
            return
        self.rows.append(row)

        if row.target not in NEVER:
            self.standings[row.target] = after(self.standings.get(row.target) or Standing(), row)

    def commit(self, row: CycleRow) -> str | None:
        return None

    def left_at(self, sha: str) -> None:
        self.head = sha

    def quarantine(self, target: str, check: str) -> None:
        self.standings[target] = replace(self.standings[target], check=check)

    def release(self, targets: Iterable[str], cycle: int) -> frozenset[str]:
        freed = [self.standings.pop(target) for target in targets if target in self.standings]
        return frozenset(one.result for one in freed if one.quarantined)


class TwinFolders:
    """Phase folders without folders: a phase speaks by its last promise."""

    @dataclass(frozen=True)
    class Folder:
        path: str
        phase: Phase
        home: str = ""

    def open(self, start: object, phase: Phase, attempt: int, place: Place) -> Folder:
        return self.Folder(f"/phases/{phase}-{attempt}", phase)

    def close(self, folder: Folder, run: object) -> PhaseVerdict | None:
        return from_promise(folder.phase, getattr(run, "text", ""))

    def begin(self, start: object) -> None:
        return None

    def note(self, folder: Folder, result: object) -> None:
        return None

    def hand_on(self, start: object, packet: object) -> None:
        return None

    def finished(self, start: object) -> list[str]:
        return []

    def results(self, start: object) -> list[PhaseResult]:
        return []

    def said(self, start: object, phase: Phase) -> PhaseVerdict | None:
        return None


@dataclass
class Silent:
    """Events, guard and records that keep nothing but counts."""

    seen: dict[Event, int] = field(default_factory=dict)
    new_items: int = 0

    def emit(self, name: Event, **facts: object) -> None:
        self.seen[name] = self.seen.get(name, 0) + 1

    def make_way(self, queue: bytes | None) -> None:
        return None

    def put_rows_back(self) -> dict[str, str]:
        return {}

    def remember(self) -> None:
        return None

    def put_back(self) -> dict[str, str]:
        return {}

    def cycle_complete(self, row: CycleRow) -> None:
        return None

    def flaked(self, cycle: int, finding: Finding) -> None:
        return None

    def project(self, **facts: object) -> None:
        return None


@dataclass
class World:
    """One repository with its history, over many starts of the supervisor."""

    seed: int
    crashes: float = 0.02
    flaky: float = 0.01

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.clock = VirtualClock()
        self.tree = TwinPlace(self.clock)
        self.goals = TwinGoals(self.tree, self.clock, self.rng, self.flaky)
        self.ledger = MemoryLedger()
        self.silent = Silent()
        self.journal = MemoryJournal(self.clock, self.rng, self.crashes)

    def parts(self, session: str, run: str, settings: Settings, worked: float = 0.0) -> tuple[Parts, VirtualScope]:
        time = WorkingTime(self.clock, worked)
        meter = SessionMeter(self.clock, time, settings.hours, settings.until)
        self.journal.worked, self.journal.run = time.seconds, run
        self.tree.run = run
        scope = VirtualScope(self.clock, asks=(meter.overrun,))
        agent = TwinAgent(self.tree, self.clock, self.rng)
        folders = TwinFolders()
        phases = Phases(
            agent,
            folders,  # type: ignore[arg-type]
            self.journal,
            self.silent,
            meter,
            PROMPTS,
            confirm=lambda item, place, scope: None,
            harvest=lambda item, place, start, found: 0,
        )
        parts = Parts(
            clock=self.clock,
            place=self.tree,
            ladder=Ladder((FailingGoals(lambda: GOALS, run),)),
            workers=(phases,),
            gate=TwinGate(self.goals),
            goals=self.goals,
            journal=self.journal,
            events=self.silent,
            meter=meter,
            ledger=self.ledger,
            guard=self.silent,
            telemetry=self.silent,
            settings=settings,
            session=session,
            run=run,
            reap=lambda runs: 0,
            after_cycle=lambda: None,
            pause_asked=lambda: False,
            room=lambda: 1 << 40,
        )
        return parts, scope
