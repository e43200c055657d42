"""The worker `phases`: order, retries, pauses and stops, with an agent that says what the test wants."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Instant
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop, StopReason
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.rpi.follow_ups import FollowUp
from agentops.rpi.phases import Phases
from agentops.rpi.steps import Next, Over, Went, after
from agentops.rpi.verdicts import ALLOWED, Phase, PhaseVerdict, Said
from tests.twins.journal import MemoryJournal
from tests.twins.loop import PROMPTS, Silent, TwinFolders
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
    item: WorkItem = ITEM
    refuted: str | None = None
    queued: list[str] = field(default_factory=list)

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
            PROMPTS,
            confirm=self._confirm,
            harvest=self._harvest,
            asked_to_pause=lambda: self.paused,
        )

    def _confirm(self, item: WorkItem, place: Place, scope: Scope) -> str | None:
        return self.refuted

    def _harvest(self, item: WorkItem, place: Place, start: Start, found: Sequence[FollowUp]) -> int:
        self.queued += [one.title for one in found]
        return len(found)

    def work(self, resume: str | None = None) -> Attempt:
        return self.phases.work(self.item, self.place, self.place.begin(1), self.scope, resume)


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


def test_all_tries_of_the_work_are_three_whoever_sent_it_back() -> None:
    """Two half-done tries and a failed validation once made five implementations of three."""
    ground = rig(implementation="PARTIAL DONE DONE DONE DONE", validation="FAIL FAIL FAIL")
    assert ground.work().claimed is Claimed.FAIL
    assert ground.agent.asked.count("implementation") == 3


@pytest.mark.parametrize(
    ("words", "runs", "claimed"),
    [
        ({"discovery": "ALREADY_DONE PASS"}, ["discovery", "discovery", "implementation", "validation"], Claimed.DONE),
        ({"implementation": "ALREADY_DONE DONE"}, ["discovery", "implementation", "implementation", "validation"], Claimed.DONE),
        ({"discovery": "ALREADY_DONE ALREADY_DONE ALREADY_DONE"}, ["discovery"] * 3, Claimed.ALREADY_DONE),
    ],
)
def test_already_done_that_the_check_refutes_is_told_and_tried_again(
    words: dict[str, str], runs: list[str], claimed: Claimed
) -> None:
    ground = rig(**words)  # type: ignore[arg-type]
    ground.item, ground.refuted = replace(ITEM, check="test -f x"), "(ended with 1) no x"
    assert (ground.work().claimed, ground.agent.asked) == (claimed, runs)
    assert any("no x" in prompt for prompt in ground.agent.prompts)


def test_a_verdict_beats_a_limit_that_came_after_it() -> None:
    """The work of an agent that wrote DONE and then hit its limit was parked and done again."""
    run = AgentRun(Ended.LIMIT, retry_at=Instant(1.0, 1.0))
    went = Went(Phase.IMPLEMENTATION, run, PhaseVerdict(Said.DONE))
    assert after(went, {Phase.IMPLEMENTATION: 1}, 3) == Next(Phase.VALIDATION)
    assert after(replace(went, verdict=None), {Phase.IMPLEMENTATION: 1}, 3) == Over(parked=True)


RUNS = st.builds(
    AgentRun,
    st.sampled_from(Ended),
    retry_at=st.none() | st.just(Instant(1.0, 1.0)),
    stop=st.none() | st.just(Stop(StopReason.KILL_SWITCH, "x")),
)


@given(st.data(), st.integers(1, 4))
def test_whatever_agents_say_an_attempt_ends_within_its_tries(data: st.DataObject, most: int) -> None:
    tries = dict.fromkeys(Phase, 0)
    step: Next | Over = Next(Phase.DISCOVERY)
    while isinstance(step, Next):
        phase = step.phase
        tries[phase] += 1
        said = data.draw(st.none() | st.sampled_from(sorted(ALLOWED[phase])))
        run, refuted = data.draw(RUNS), data.draw(st.none() | st.just("no"))
        went = Went(phase, run, PhaseVerdict(said) if said else None, refuted if said is Said.ALREADY_DONE else None)
        step = after(went, tries, most)
        assert run.stop is None or step == Over(), "nothing is started after a stop"
    assert tries[Phase.DISCOVERY] <= most and tries[Phase.IMPLEMENTATION] <= most
    assert tries[Phase.VALIDATION] <= most
    assert step.claimed is not Claimed.DONE or tries[Phase.VALIDATION], "done means that fresh eyes have looked"
