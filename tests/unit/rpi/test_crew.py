"""Several agents: who is asked first, who takes over from whom and from where, and who looks at whose work."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.rpi.crew import Crew, Member
from agentops.rpi.phases import Phases
from agentops.rpi.verdicts import Phase
from tests.twins.journal import MemoryJournal
from tests.twins.loop import PROMPTS, Silent, TwinFolders
from tests.twins.meter import TwinMeter
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock, VirtualScope

WORD = {"discovery": "PASS", "implementation": "DONE", "validation": "PASS"}


@dataclass
class Worker:
    """Writes a file named after itself in each phase; in those named in `limited` it then hits a limit of so many seconds."""

    name: str
    place: TwinPlace
    clock: VirtualClock
    limited: dict[str, float] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    saw: list[set[str]] = field(default_factory=list)

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        phase = env["AO_PHASE"]
        self.asked.append(phase)
        self.saw.append(set(self.place.files))
        self.place.write(f"{self.name}-{phase}", b"work")
        self.clock.pass_(60.0)
        if (wait := self.limited.pop(phase, None)) is not None:
            return AgentRun(Ended.LIMIT, error="usage limit reached", retry_at=self.clock.now().plus(wait), agent=self.name)
        return AgentRun(Ended.OK, text=f"<promise>{WORD[phase]}</promise>", usage=Usage(60.0), agent=self.name)


@dataclass
class Ground:
    names: tuple[str, ...] = ("ann", "bob")
    limited: dict[str, dict[str, float]] = field(default_factory=dict)
    named: dict[Phase, str] = field(default_factory=dict)
    account: str = ""

    def __post_init__(self) -> None:
        self.clock = VirtualClock()
        self.place = TwinPlace(self.clock)
        self.workers = {one: Worker(one, self.place, self.clock, dict(self.limited.get(one, {}))) for one in self.names}
        members = {name: Member(one, self.account or name) for name, one in self.workers.items()}
        crew = Crew(list(members.values()), {phase: members[name] for phase, name in self.named.items()})
        self.meter = TwinMeter(self.clock)
        self.phases = Phases(
            crew,
            TwinFolders(),  # type: ignore[arg-type]
            MemoryJournal(self.clock, random.Random(1)),
            Silent(),
            self.meter,
            PROMPTS,
            confirm=lambda item, place, scope: None,
            harvest=lambda item, place, start, found: 0,
        )

    def work(self, resume: str | None = None) -> Attempt:
        scope = VirtualScope(self.clock)
        return self.phases.work(WorkItem("goal", "g", "t", "p"), self.place, self.place.begin(1), scope, resume)


def test_another_agent_than_the_one_that_did_the_work_looks_at_it() -> None:
    ground = Ground()
    assert ground.work().claimed is Claimed.DONE
    assert ground.workers["ann"].asked == ["discovery", "implementation"]
    assert ground.workers["bob"].asked == ["validation"]


def test_the_owner_s_word_on_a_phase_beats_that() -> None:
    ground = Ground(("ann", "bob", "cid"), named={Phase.DISCOVERY: "cid", Phase.VALIDATION: "ann"})
    ground.work()
    assert [one.asked for one in ground.workers.values()] == [["implementation", "validation"], [], ["discovery"]]


def test_who_takes_over_from_a_limited_agent_starts_where_the_phase_began() -> None:
    ground = Ground(limited={"ann": {"implementation": 3600.0}})
    attempt = ground.work()
    assert attempt.claimed is Claimed.DONE and len(attempt.runs) == 4
    bob = ground.workers["bob"]
    assert (bob.asked[0], bob.saw[0]) == ("implementation", {"ann-discovery"})
    assert "ann-implementation" not in ground.place.files
    assert "ann-implementation" in ground.place.snapshots["1/parked"], "what the limited one did is not lost"


def test_bob_did_the_work_and_ann_is_limited_so_nobody_else_can_look() -> None:
    ground = Ground(limited={"ann": {"implementation": 3600.0}})
    ground.work()
    assert ground.workers["bob"].asked == ["implementation", "validation"]


def test_a_few_minutes_are_waited_for_rather_than_to_begin_anew() -> None:
    ground = Ground(limited={"ann": {"implementation": 120.0}})
    attempt = ground.work()
    assert (attempt.ended, attempt.parked_phase) == (Ended.LIMIT, "implementation")
    assert ground.workers["bob"].asked == [] and "ann-implementation" in ground.place.files


def test_when_all_are_limited_the_first_that_is_free_again_ends_the_wait() -> None:
    ground = Ground(limited={"ann": {"discovery": 7200.0}, "bob": {"discovery": 3600.0}})
    attempt = ground.work()
    assert attempt.parked_until is not None and attempt.parked_phase == "discovery"
    assert attempt.parked_until.mono - ground.clock.now().mono == pytest.approx(3600.0)


def test_agents_of_one_account_share_its_limit() -> None:
    ground = Ground(limited={"ann": {"discovery": 7200.0}}, account="theirs")
    assert ground.work().ended is Ended.LIMIT and ground.workers["bob"].asked == []


def test_a_limit_costs_no_try() -> None:
    ground = Ground(limited={"ann": {"implementation": 3600.0}, "bob": {"implementation": 3600.0}})
    attempt = ground.work()
    assert attempt.parked_until is not None
    ground.clock.pass_(3601.0)
    assert ground.work("implementation").claimed is Claimed.DONE


def test_a_crew_of_nobody_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="somebody"):
        Crew(())
