"""Breakers, rest and dormancy over random nights: what must hold whatever happened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.judging import Result
from agentops.evolve.breakers import UNPRODUCTIVE_SECONDS, idle_agent, tripped, unproductive
from agentops.evolve.dormancy import EMPTY_PASSES, dormant, idle_streak
from agentops.evolve.outcomes import IDLE, Outcome
from agentops.evolve.rest import TRIES, resting

_WORK = st.tuples(
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(Result),
    st.sampled_from(["target_unmoved", "no_op", "interrupted", "judged", "goal:x", "agent:limit", "gate_error"]),
)
_NOTHING = st.just((IDLE, Result.UNCHANGED, "idle"))
NIGHTS = st.lists(st.tuples(st.one_of(_WORK, _WORK, _NOTHING), st.floats(0.0, 1500.0)), max_size=25)


def night(found: list[tuple[tuple[str, Result, str], float]]) -> list[Outcome]:
    worked, out = 0.0, []
    for at, ((target, result, reason), seconds) in enumerate(found, 1):
        worked += seconds
        out.append(Outcome(at, target, result, reason, worked))
    return out


@given(NIGHTS, st.floats(0.0, 1500.0))
def test_no_breaker_trips_within_an_hour_of_work_since_the_last_progress(
    found: list[tuple[tuple[str, Result, str], float]], more: float
) -> None:
    outcomes = night(found)
    now = (outcomes[-1].worked if outcomes else 0.0) + more
    since = max((one.worked for one in outcomes if one.productive), default=0.0)
    if unproductive(outcomes, now):
        assert now - since >= UNPRODUCTIVE_SECONDS
        assert sum(one.counts and one.worked > since for one in outcomes) >= 2


@given(NIGHTS, st.sampled_from([Result.IMPROVED, Result.HARVESTED]))
def test_progress_now_resets_every_breaker(found: list[tuple[tuple[str, Result, str], float]], result: Result) -> None:
    outcomes = night(found)
    now = outcomes[-1].worked if outcomes else 0.0
    assert tripped([*outcomes, Outcome(99, "a", result, "judged", now)], now) is None


@given(NIGHTS, st.integers(1, 10))
def test_pauses_stops_and_quarantines_never_bring_a_breaker_or_a_rest_nearer(
    found: list[tuple[tuple[str, Result, str], float]], times: int
) -> None:
    outcomes = night(found)
    now = outcomes[-1].worked if outcomes else 0.0
    more = [*outcomes, *(Outcome(100 + at, "a", Result.UNCHANGED, "interrupted", now) for at in range(times))]
    more += [Outcome(200 + at, "a", Result.QUARANTINED, "", now) for at in range(times)]
    assert tripped(more, now) == tripped(outcomes, now)
    assert resting(more) == resting(outcomes)
    assert idle_agent(more) == idle_agent(outcomes)


@given(NIGHTS)
def test_only_three_failures_since_the_last_success_rest_and_a_person_ends_it(
    found: list[tuple[tuple[str, Result, str], float]],
) -> None:
    outcomes = night(found)
    for target in resting(outcomes):
        since = [one for one in outcomes if one.target == target]
        last = max((at for at, one in enumerate(since) if one.result is Result.IMPROVED), default=-1)
        assert len(since[last + 1 :]) >= TRIES and target != IDLE
        assert target not in resting(outcomes, {target: 99})


@given(NIGHTS)
def test_dormancy_needs_three_empty_passes_and_nothing_between_them(
    found: list[tuple[tuple[str, Result, str], float]],
) -> None:
    outcomes = night(found)
    visible = [one for one in outcomes if one.result is not Result.QUARANTINED]
    streak = next((at for at, one in enumerate(reversed(visible)) if one.target != IDLE), len(visible))
    assert idle_streak(outcomes) == streak
    assert (dormant(outcomes) is not None) == (streak + 1 >= EMPTY_PASSES)
