"""Rest, breakers and dormancy: facts in, a decision with its reason out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.judging import Result
from agentops.core.stops import StopReason
from agentops.evolve.breakers import idle_agent, tripped, unproductive
from agentops.evolve.dormancy import dormant, idle_streak
from agentops.evolve.outcomes import IDLE, Outcome
from agentops.evolve.rest import ESCALATED, TRIES, resting

TARGETS = st.sampled_from(["a", "b", IDLE])
REASONS = st.sampled_from(["target_unmoved", "interrupted", "no_op", "agent:limit", "goal:x", "idle"])
OUTCOMES = st.lists(st.tuples(TARGETS, st.sampled_from(Result), REASONS), max_size=20).map(
    lambda rows: [Outcome(at + 1, target, result, reason, 60.0 * at) for at, (target, result, reason) in enumerate(rows)]
)


def failed(cycle: int, target: str = "a", reason: str = "target_unmoved", worked: float = 0.0) -> Outcome:
    return Outcome(cycle, target, Result.UNCHANGED, reason, worked)


def improved(cycle: int, target: str = "a", worked: float = 0.0) -> Outcome:
    return Outcome(cycle, target, Result.IMPROVED, "target_reached", worked)


@given(OUTCOMES)
def test_a_target_rests_only_after_three_failures_since_its_last_success(outcomes: list[Outcome]) -> None:
    for target in resting(outcomes):
        failures = 0
        for one in outcomes:
            if one.target == target:
                failures = 0 if one.result is Result.IMPROVED else failures + 1
        assert failures >= TRIES and target != IDLE


@given(OUTCOMES)
def test_an_interruption_never_brings_a_target_to_rest(outcomes: list[Outcome]) -> None:
    more = [*outcomes, *(failed(100 + at, "a", "interrupted") for at in range(5))]
    assert ("a" in resting(more)) == ("a" in resting(outcomes))


def test_a_target_that_a_person_changed_counts_afresh() -> None:
    outcomes = [failed(1), failed(2), failed(3)]
    assert "a" in resting(outcomes) and "a" not in resting(outcomes, {"a": 4})
    assert "a" in resting([*outcomes, failed(4), failed(5), failed(6)], {"a": 4})


def test_a_start_ten_hours_after_the_last_productive_cycle_does_not_trip() -> None:
    """loop-peers F1-1: the window begins with the session, and only working time counts."""
    assert unproductive([], worked=0.0) is None
    assert unproductive([failed(1, worked=10.0), failed(2, worked=20.0)], worked=30.0) is None


def test_an_hour_of_fruitless_work_in_two_cycles_trips() -> None:
    assert unproductive([failed(1, worked=1800.0), failed(2, worked=3600.0)], worked=3600.0) is not None
    assert unproductive([failed(1, worked=3600.0)], worked=3600.0) is None


def test_a_productive_cycle_starts_the_hour_anew() -> None:
    outcomes = [failed(1, worked=1800.0), improved(2, worked=3500.0), failed(3, worked=3600.0), failed(4, worked=3700.0)]
    assert unproductive(outcomes, worked=3700.0) is None


def test_two_cycles_that_claim_and_do_nothing_stop_the_session() -> None:
    assert idle_agent([failed(1, reason="no_op"), failed(2, reason="no_op")]) is not None
    assert idle_agent([failed(1, reason="no_op"), failed(2)]) is None
    assert idle_agent([failed(1, reason="no_op"), failed(2, reason="interrupted"), failed(3, reason="no_op")]) is not None


def test_a_tripped_breaker_exits_with_five() -> None:
    stop = tripped([failed(1, reason="no_op"), failed(2, reason="no_op")], worked=1.0)
    assert stop is not None and (stop.reason, int(stop.exit_code)) == (StopReason.CIRCUIT_BREAKER, 5)


def test_passes_one_and_two_go_on_and_the_third_empty_pass_stops() -> None:
    """loop-peers F1-12: the off-by-one as a table."""
    idle = [Outcome(at, IDLE, Result.UNCHANGED, "idle", 0.0) for at in (1, 2)]
    assert [dormant(idle[:n]) is not None for n in (0, 1, 2)] == [False, False, True]


def test_work_between_idle_rows_wakes_the_loop() -> None:
    idle = Outcome(1, IDLE, Result.UNCHANGED, "idle", 0.0)
    assert idle_streak([idle, idle, improved(3)]) == 0 and idle_streak([improved(1), idle]) == 1


def test_work_that_left_its_scope_is_not_paid_for_again_until_a_person_frees_it() -> None:
    outcomes = [failed(1, reason="scope_escape")]
    assert resting(outcomes) == {"a": ESCALATED} and resting(outcomes, {"a": 2}) == {}
    assert resting([*outcomes, failed(2), failed(3), failed(4)])["a"] == ESCALATED
