"""How many checks run at once: wrong answers cost either an hour of waiting or time-outs of healthy checks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Goal
from agentops.goals.pace import MOST_SLOTS, Batch, Pace, alone, longest_first, next_batch


def goals(count: int) -> list[Goal]:
    return [Goal(f"g-{at}", f"check {at}", "d") for at in range(count)]


def seen(count: int, seconds: float, cpu_seconds: float) -> Pace:
    pace = Pace()
    for goal in goals(count):
        pace.saw(goal.check, seconds, cpu_seconds)
    return pace


def test_nothing_known_is_taken_for_computing_and_looked_at_again_soon() -> None:
    assert next_batch(goals(50), Pace(), 2) == Batch(4, 2)


def test_checks_that_waited_let_the_unknown_ones_run_wide() -> None:
    assert next_batch(goals(50)[4:], seen(4, 0.2, 0.002), 2) == Batch(32, 16)


def test_checks_that_computed_keep_the_pool_at_the_processors() -> None:
    assert next_batch(goals(50)[4:], seen(4, 2.0, 2.0), 2) == Batch(4, 2)
    assert next_batch(goals(50)[4:], seen(4, 2.0, 8.0), 2) == Batch(4, 2)


def test_known_checks_need_no_second_look() -> None:
    assert next_batch(goals(50), seen(50, 1.0, 0.25), 2) == Batch(50, 8)


def test_the_longest_is_not_left_for_the_end() -> None:
    pace = Pace()
    pace.saw("check 1", 5.0, 1.0)
    order = longest_first(goals(4), pace, {"g-0": 9.0, "g-2": 0.1})
    assert [goal.id for goal in order] == ["g-3", "g-0", "g-1", "g-2"]


def test_go_tests_and_exclusive_ones_are_alone() -> None:
    assert alone(Goal("a", "cd x && go test ./...", "d")) and alone(Goal("a", "true", "d", exclusive=True))
    assert not alone(Goal("a", "go vet ./...", "d"))


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6))), st.integers(1, 64), st.integers(1, 60))
def test_a_batch_always_moves_on_and_stays_in_bounds(loads: list[tuple[float, float]], cpus: int, waiting: int) -> None:
    pace = Pace()
    for at, (seconds, cpu_seconds) in enumerate(loads):
        pace.saw(f"check {at}", seconds, cpu_seconds)
    batch = next_batch(goals(waiting), pace, cpus)
    assert 1 <= batch.size <= waiting and cpus <= batch.slots <= max(cpus, MOST_SLOTS)
