"""Which check runs beside which: wrong answers cost either an hour of waiting or time-outs of healthy checks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Goal
from agentops.goals.pace import MOST, Load, Pace, Underway, alone, following, longest_first

WAITS = Load(1.0, 0.01, 0.0)
COMPUTES = Load(1.0, 1.0, 1.0)
YOUNG = Underway(None, Load(0.01, 0.01, 0.0))


def new(so_far: Load) -> Underway:
    return Underway(None, so_far)


def goals(count: int) -> list[Goal]:
    return [Goal(f"g-{at}", f"check {at}", "d") for at in range(count)]


def test_one_for_each_processor_always_runs() -> None:
    assert following([None], [], [], 2) == 0
    assert following([COMPUTES, None], [new(COMPUTES)], [], 2) == 0


def test_what_nobody_has_seen_yet_gets_no_company() -> None:
    assert following([None] * 9, [YOUNG, YOUNG], [], 2) is None


def test_the_pool_doubles_while_what_runs_is_seen_to_wait() -> None:
    running = [new(WAITS)] * 2
    for size in (2, 3):
        assert following([None] * 9, running, [], 2) == 0, size
        running.append(YOUNG)
    assert following([None] * 9, running, [], 2) is None
    assert following([None] * 9, [new(WAITS)] * 4, [], 2) == 0


def test_checks_that_compute_keep_to_the_processors() -> None:
    assert following([None, COMPUTES], [new(COMPUTES)] * 2, [COMPUTES] * 5, 2) is None


def test_one_that_is_starved_of_processors_computes_all_the_same() -> None:
    starved = Load(1.0, 0.1, 1.0)
    assert following([None], [new(starved)] * 2, [], 2) is None


def test_one_that_waits_is_started_beside_those_that_compute_though_another_was_first() -> None:
    assert following([COMPUTES, COMPUTES, WAITS], [new(COMPUTES), Underway(COMPUTES, Load(0.0, 0.0))], [], 2) == 2


def test_one_check_that_fills_the_machine_lets_nothing_beside_it_but_what_the_processors_are_owed() -> None:
    make_j8 = Load(1.0, 8.0, 1.0)
    assert following([WAITS], [Underway(make_j8, Load(0.0, 0.0))], [], 2) == 0
    assert following([WAITS], [Underway(make_j8, Load(0.0, 0.0)), new(WAITS)], [], 2) is None


def test_there_is_an_end_to_company() -> None:
    assert following([WAITS] * 9, [new(WAITS)] * MOST, [], 2) is None


def test_the_longest_is_not_left_for_the_end() -> None:
    pace = Pace()
    pace.saw("check 1", Load(5.0, 1.0))
    order = longest_first(goals(4), pace, {"g-0": 9.0, "g-2": 0.1})
    assert [goal.id for goal in order] == ["g-3", "g-0", "g-1", "g-2"]


def test_go_tests_and_exclusive_ones_are_alone() -> None:
    assert alone(Goal("a", "cd x && go test ./...", "d")) and alone(Goal("a", "true", "d", exclusive=True))
    assert not alone(Goal("a", "go vet ./...", "d"))


loads = st.builds(Load, st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1))
underway = st.builds(Underway, st.none() | loads, loads)


@given(
    st.lists(st.none() | loads, max_size=60), st.lists(underway, max_size=30), st.lists(loads, max_size=30), st.integers(1, 64)
)
def test_it_always_moves_on_and_stays_in_bounds(
    waiting: list[Load | None], running: list[Underway], ended: list[Load], cpus: int
) -> None:
    at = following(waiting, running, ended, cpus)
    assert at is None or 0 <= at < len(waiting)
    assert at is not None or not waiting or len(running) >= min(cpus, MOST)
    assert at is None or len(running) < MOST
