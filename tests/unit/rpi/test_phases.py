"""The worker `phases`: order, retries, pauses and stops, with an agent that says what the test wants."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop, StopReason
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.rpi.phases import Phases
from tests.twins.journal import MemoryJournal
from tests.twins.loop import Silent, TwinFolders
from tests.twins.meter import TwinMeter
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock, VirtualScope

ITEM = WorkItem("goal", "g", "a title", "the work")


@dataclass
class Speaker:
    """Answers each phase with the next of its words; `!` before a word is an ending instead (`!error`)."""

    clock: VirtualClock
    words: dict[str, list[str]]
    name: str = "speaker"
    asked: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        self.asked.append(env["AO_PHASE"])
        self.prompts.append(prompt)
        self.clock.pass_(60.0)
        word = self.words[env["AO_PHASE"]].pop(0)
        if not word.startswith("!"):
            return AgentRun(Ended.OK, text=f"<promise>{word}</promise>", usage=Usage(60.0, 10, 1))
        ended = Ended(word[1:])
        retry_at = self.clock.now().plus(3600.0) if ended is Ended.LIMIT else None
        return AgentRun(ended, error="what it said last", usage=Usage(60.0), retry_at=retry_at)


@dataclass
class Rig:
    words: dict[str, list[str]]
    cap: float = float("inf")
    paused: bool = False

    def __post_init__(self) -> None:
        self.clock = VirtualClock()
        self.place = TwinPlace(self.clock)
        self.scope = VirtualScope(self.clock)
        self.agent = Speaker(self.clock, self.words)
        self.meter = TwinMeter(self.clock, self.cap)
        self.phases = Phases(
            self.agent,
            TwinFolders(),  # type: ignore[arg-type]
            MemoryJournal(self.clock, random.Random(1)),
            Silent(),
            self.meter,
            asked_to_pause=lambda: self.paused,
        )

    def work(self, resume: str | None = None) -> Attempt:
        return self.phases.work(ITEM, self.place, self.place.begin(1), self.scope, resume)


def rig(discovery: str = "PASS", implementation: str = "DONE", validation: str = "PASS", cap: float = float("inf")) -> Rig:
    words = {"discovery": discovery.split(), "implementation": implementation.split(), "validation": validation.split()}
    return Rig(words, cap)


def test_all_three_phases_run_in_order_each_once() -> None:
    ground = rig()
    assert ground.work().claimed is Claimed.DONE
    assert ground.agent.asked == ["discovery", "implementation", "validation"]


def test_a_failed_validation_goes_back_to_the_work_with_its_reason() -> None:
    ground = rig(implementation="DONE DONE", validation="FAIL WARN")
    assert ground.work().claimed is Claimed.DONE
    assert ground.agent.asked == ["discovery", "implementation", "validation", "implementation", "validation"]
    assert "The last try did not go through" in ground.agent.prompts[3]


@pytest.mark.parametrize(
    ("words", "claimed", "runs"),
    [
        ({"implementation": "PARTIAL PARTIAL PARTIAL"}, Claimed.PARTIAL, 4),
        ({"implementation": "BLOCKED BLOCKED BLOCKED"}, Claimed.BLOCKED, 4),
        ({"implementation": "DONE DONE DONE", "validation": "FAIL FAIL FAIL"}, Claimed.FAIL, 7),
        ({"discovery": "FAIL FAIL FAIL"}, Claimed.FAIL, 3),
    ],
)
def test_three_tries_in_all_and_then_what_it_said_last(words: dict[str, str], claimed: Claimed, runs: int) -> None:
    ground = rig(**words)  # type: ignore[arg-type]
    attempt = ground.work()
    assert (attempt.claimed, len(attempt.runs)) == (claimed, runs)


@pytest.mark.parametrize("word", ["ALREADY_DONE", "SCOPE_ESCAPE"])
def test_a_plan_that_ends_the_work_starts_no_further_phase(word: str) -> None:
    ground = rig(discovery=word)
    assert ground.work().claimed is Claimed(word) and ground.agent.asked == ["discovery"]


def test_an_agent_that_dies_is_tried_again_and_then_named_by_its_end() -> None:
    ground = rig(implementation="!error !error !timeout")
    attempt = ground.work()
    assert (attempt.claimed, attempt.ended) == (Claimed.NOTHING, Ended.TIMEOUT)
    assert "what it said last" in ground.agent.prompts[2]


def test_a_limit_parks_at_the_phase_that_it_interrupted_and_tries_nothing_else() -> None:
    ground = rig(implementation="!limit")
    attempt = ground.work()
    assert attempt.parked_phase == "implementation" and attempt.parked_until is not None
    assert ground.agent.asked == ["discovery", "implementation"]


def test_what_is_parked_goes_on_at_its_phase() -> None:
    ground = rig()
    assert ground.work(resume="implementation").claimed is Claimed.DONE
    assert ground.agent.asked == ["implementation", "validation"]


def test_an_account_that_another_session_paused_starts_no_agent() -> None:
    ground = rig()
    until = ground.clock.now().plus(600.0)
    ground.meter.pause("speaker", until)
    attempt = ground.work()
    assert (attempt.parked_phase, attempt.parked_until, ground.agent.asked) == ("discovery", until, [])


def test_a_pause_parks_between_phases() -> None:
    ground = rig()
    ground.paused = True
    attempt = ground.work()
    assert (attempt.parked_phase, attempt.parked_until, ground.agent.asked) == ("discovery", None, [])


def test_a_spent_budget_starts_no_further_phase() -> None:
    ground = rig(cap=90.0)
    attempt = ground.work()
    assert attempt.ended is Ended.KILLED and ground.agent.asked == ["discovery", "implementation"]


def test_a_stop_starts_no_further_phase() -> None:
    ground = rig()
    ground.scope.told = Stop(StopReason.KILL_SWITCH, "told to")
    attempt = ground.work()
    assert attempt.ended is Ended.KILLED and ground.agent.asked == []


@pytest.mark.parametrize("ended", ["auth", "bad_config", "spawn_error"])
def test_what_no_further_try_can_mend_is_not_tried_again(ended: str) -> None:
    ground = rig(discovery=f"!{ended}")
    assert ground.work().ended is Ended(ended) and ground.agent.asked == ["discovery"]
