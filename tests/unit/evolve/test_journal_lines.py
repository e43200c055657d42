"""The journal's fold: any bytes add up to something, and a cycle that was cut off is found with all that was noted."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Instant
from agentops.core.journals import Step
from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.places import Change, Effect, Settled, Snapshot, Start
from agentops.core.processes import Ended
from agentops.core.wire import dump, parse
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.evolve.journal_lines import JournalState, add_up

ITEM = WorkItem("goal", "g", "title", "prompt", check="true")
START = Start(3, "s.1", Instant(1.0, 2.0), Snapshot("tree", "head", "main", "/m"))
EFFECT = Effect(Snapshot("t2", "head", "main", "/m"), {"a\\xffb": Change.ADDED}, swept=frozenset({"x"}))
VERDICT = Verdict(Result.IMPROVED, Reason(ReasonKind.GOAL, "x"), keep=True)
ATTEMPT = Attempt("phases", Ended.OK, Claimed.DONE)


def replace(known: Any, **facts: object) -> Any:
    return parse(dump({**known, **facts}))


def line(step: Step, **facts: object) -> Any:
    return parse(dump({"step": step, "wall": 10.0, "run": "s.1", **facts}))


SESSION = line(Step.SESSION, session="s", head="h", last_cycle=2)
CYCLE = [
    line(Step.OPENED, cycle=3, item=ITEM),
    line(Step.CLAIMED, cycle=3, token="t"),
    line(Step.STARTED, cycle=3, start=START),
    line(Step.ENDED, cycle=3, attempt=ATTEMPT, effect=EFFECT),
    line(Step.VERDICT, cycle=3, verdict=VERDICT, effect=EFFECT, attempt=ATTEMPT, passing=1, total=2, seconds=1.5),
    line(Step.TREE, cycle=3, settled=Settled("sha")),
    line(Step.ROW, cycle=3),
]
CLEARED = line(Step.CLEARED, cycle=3, target="g", result="improved", reason="target_reached")


def test_every_prefix_of_a_cycle_is_found_open_at_the_step_it_reached() -> None:
    for upto in range(1, len(CYCLE) + 1):
        flight = add_up([SESSION, *CYCLE[:upto]]).open
        assert flight is not None and flight.step is Step(CYCLE[upto - 1]["step"])
        assert flight.item == ITEM


def test_what_was_noted_comes_back_as_it_was() -> None:
    flight = add_up([SESSION, *CYCLE]).open
    assert flight is not None
    assert (flight.start, flight.effect, flight.verdict, flight.attempt) == (START, EFFECT, VERDICT, ATTEMPT)
    assert flight.settled == Settled("sha") and (flight.token, flight.passing, flight.total) == ("t", 1, 2)


def test_a_cleared_cycle_is_an_outcome_and_no_longer_open() -> None:
    state = add_up([SESSION, *CYCLE, CLEARED])
    assert state.open is None and [one.target for one in state.outcomes] == ["g"] and state.last_cycle == 3


def test_a_declined_cycle_leaves_its_number_free() -> None:
    state = add_up([SESSION, *CYCLE[:3], line(Step.DECLINED, cycle=3)])
    assert state.open is None and state.outcomes == () and state.last_cycle == 2


def test_a_target_that_a_person_woke_stays_awake_over_a_crash() -> None:
    woken = line(Step.WOKEN, cycle=4, targets=["g"])
    assert add_up([SESSION, *CYCLE, CLEARED, woken, line(Step.RUN)]).woken == {"g": 4}
    assert add_up([SESSION, woken, SESSION]).woken == {}, "a new session has no memory of it"


def test_a_session_that_goes_on_has_not_got_its_money_back() -> None:
    cost = Usage(1.0, 100, 10, 1.5)
    paid = replace(CLEARED, used=cost)
    run = AgentRun(Ended.OK, usage=cost)
    cut_off = line(Step.ENDED, cycle=3, attempt=Attempt("phases", Ended.OK, runs=(run, run)), effect=EFFECT)
    assert add_up([SESSION, *CYCLE, CLEARED]).spent == Usage()
    assert add_up([SESSION, *CYCLE, paid, line(Step.RUN)]).spent == cost
    assert add_up([SESSION, *CYCLE, paid, *CYCLE[:3], cut_off]).spent == cost.plus(cost).plus(cost)
    assert add_up([SESSION, *CYCLE, paid, SESSION]).spent == Usage(), "a new session has its own money"


def test_a_session_that_was_not_closed_goes_on() -> None:
    assert not add_up([SESSION, line(Step.RUN)]).ended
    assert add_up([SESSION, line(Step.CLOSED)]).ended


@given(st.lists(st.sampled_from([*CYCLE, SESSION, CLEARED, None, line(Step.BEAT), line(Step.ASKED, cycle=3, paths=["a"])])))
def test_any_order_of_lines_adds_up_to_something(lines: list[Any]) -> None:
    state = add_up(lines)
    assert state.bad_lines >= sum(one is None for one in lines) - len(lines) and state.last_cycle in (0, 2, 3)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["step", "wall", "cycle", "run", "item", "start", "session"]),
            st.one_of(st.none(), st.text(max_size=5), st.integers(), st.floats(allow_nan=False), st.sampled_from(Step).map(str)),
        )
    )
)
def test_damaged_lines_are_counted_and_never_fatal(lines: list[Any]) -> None:
    assert isinstance(add_up(lines), JournalState)
