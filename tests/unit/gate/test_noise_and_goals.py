"""What a rerun explains, and what comparing two measurements finds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again, Finding, FindingKind
from agentops.gate.goals import compare, target_held, target_moved
from agentops.gate.noise import suspects, weigh

SUBJECTS = ["a", "b", "c"]
SETS = st.frozensets(st.sampled_from(SUBJECTS))
FOUND = st.dictionaries(
    st.sampled_from(["goals", "commands"]),
    st.lists(st.builds(Finding, st.sampled_from(FindingKind), st.sampled_from(SUBJECTS)), max_size=4).map(tuple),
)


AGAIN = st.builds(Again, SETS, SETS)


@given(FOUND, AGAIN, AGAIN)
def test_a_failure_counts_only_if_it_fails_twice_and_did_not_fail_before(
    found: dict[str, tuple[Finding, ...]], again: Again, before: Again
) -> None:
    weighed = weigh(found, dict.fromkeys(found, again), dict.fromkeys(found, before))
    for one in weighed:
        if one.kind in (FindingKind.GOAL, FindingKind.COMMAND):
            assert one.subject in again.failing - again.unclear and one.subject not in before.failing | before.unclear
    assert len(weighed) == sum(map(len, found.values()))


@given(FOUND)
def test_only_failures_are_doubted(found: dict[str, tuple[Finding, ...]]) -> None:
    for name, subjects in suspects(found).items():
        failing = {one.subject for one in found[name] if one.kind in (FindingKind.GOAL, FindingKind.COMMAND)}
        assert subjects == failing


def result(goal: str, outcome: GoalOutcome, **facts: object) -> GoalResult:
    return GoalResult(goal, outcome, 5, 0.1, **facts)  # type: ignore[arg-type]


def fitness(*results: GoalResult) -> Fitness:
    return Fitness("now", "abc", results)


def test_pass_to_fail_is_a_regression_and_pass_to_skip_is_a_note() -> None:
    before = fitness(result("a", GoalOutcome.PASS), result("b", GoalOutcome.PASS), result("c", GoalOutcome.FAIL))
    after = fitness(result("a", GoalOutcome.FAIL), result("b", GoalOutcome.SKIP), result("c", GoalOutcome.FAIL))
    assert [(one.kind, one.subject) for one in compare(before, after)] == [(FindingKind.GOAL, "a"), (FindingKind.NOTE, "b")]


def test_a_check_that_broke_is_no_regression() -> None:
    after = fitness(result("a", GoalOutcome.FAIL, broken=True))
    assert [one.kind for one in compare(fitness(result("a", GoalOutcome.PASS)), after)] == [FindingKind.NOTE]


def test_a_check_killed_for_want_of_memory_does_not_blame_the_work() -> None:
    after = fitness(result("a", GoalOutcome.FAIL, out_of_memory=True))
    assert [one.kind for one in compare(fitness(result("a", GoalOutcome.PASS)), after)] == [FindingKind.GATE_ERROR]


@pytest.mark.parametrize("why", ("timed_out", "not_started"))
def test_a_check_that_passed_and_cannot_speak_now_is_doubted_like_one_that_fails(why: str) -> None:
    silent = fitness(result("a", GoalOutcome.SKIP, **{why: True}))
    found = {"goals": tuple(compare(fitness(result("a", GoalOutcome.PASS)), silent))}
    assert suspects(found) == {"goals": {"a"}}
    still = weigh(found, {"goals": Again(unclear=frozenset("a"))}, {})
    assert [one.kind for one in still] == [FindingKind.GATE_ERROR]
    assert [one.kind for one in weigh(found, {"goals": Again()}, {})] == [FindingKind.FLAKY]


def test_a_value_counts_only_in_the_direction_that_the_goal_names() -> None:
    goal = Goal("a", "c", "d", metric="lower")
    better = target_moved(goal, result("a", GoalOutcome.FAIL, value=5.0), result("a", GoalOutcome.FAIL, value=4.0))
    worse = target_moved(goal, result("a", GoalOutcome.FAIL, value=5.0), result("a", GoalOutcome.FAIL, value=6.0))
    assert (better.kind, worse.kind) == (FindingKind.TARGET_MOVED, FindingKind.TARGET_UNMOVED)


@pytest.mark.parametrize("why", ("timed_out", "not_started"))
def test_a_target_whose_check_cannot_speak_is_an_error_of_the_gate(why: str) -> None:
    silent = result("a", GoalOutcome.SKIP, **{why: True})
    assert target_moved(Goal("a", "c", "d"), result("a", GoalOutcome.FAIL), silent).kind is FindingKind.GATE_ERROR


def seen(*values: float | None, outcome: GoalOutcome = GoalOutcome.FAIL) -> list[GoalResult]:
    return [result("a", outcome, value=value) for value in values]


HIGHER = Goal("a", "c", "d", metric="higher")


@pytest.mark.parametrize(
    ("then", "values", "kind"),
    [
        (10.0, (12.0, 12.0), FindingKind.TARGET_MOVED),
        (10.0, (12.0, 10.5), FindingKind.TARGET_UNMOVED),  # moved by less than it differs from itself
        (10.0, (20.0, 19.0, 18.0), FindingKind.TARGET_MOVED),
        (10.0, (20.0, 9.0), FindingKind.TARGET_UNMOVED),
        (10.0, (12.0, None), FindingKind.TARGET_UNMOVED),
    ],
)
def test_a_value_that_moved_within_its_own_noise_is_luck(
    then: float, values: tuple[float | None, ...], kind: FindingKind
) -> None:
    assert target_held(HIGHER, result("a", GoalOutcome.FAIL, value=then), seen(*values)).kind is kind


def test_the_noise_of_a_value_is_said() -> None:
    found = target_held(Goal("a", "c", "d", metric="lower"), result("a", GoalOutcome.FAIL, value=10.0), seen(7.0, 9.5))
    assert found.detail == "10 → 9.5 lies within its noise of 2.5"


def test_a_noisy_check_that_passes_once_has_not_reached_its_goal() -> None:
    goal = Goal("a", "c", "d", volatile=True)
    passes, fails = result("a", GoalOutcome.PASS), result("a", GoalOutcome.FAIL)
    assert target_held(goal, fails, [passes, passes, passes]).kind is FindingKind.TARGET_REACHED
    assert target_held(goal, fails, [passes, fails, passes]).kind is FindingKind.TARGET_UNMOVED


def test_a_number_that_reaches_its_goal_now_and_then_has_moved_at_least() -> None:
    passes, fails = result("a", GoalOutcome.PASS, value=95.0), result("a", GoalOutcome.FAIL, value=94.0)
    found = target_held(replace(HIGHER, volatile=True), result("a", GoalOutcome.FAIL, value=80.0), [passes, fails, passes])
    assert (found.kind, found.detail) == (FindingKind.TARGET_MOVED, "80 → 94")


VALUES = st.floats(-1e9, 1e9)


@given(st.sampled_from(["higher", "lower"]), VALUES, st.lists(VALUES, min_size=1, max_size=4))
def test_junk_within_the_noise_is_never_progress(metric: str, then: float, values: list[float]) -> None:
    goal = Goal("a", "c", "d", metric=metric)
    found = target_held(goal, result("a", GoalOutcome.FAIL, value=then), seen(*values))
    better = min(values) > then if metric == "higher" else max(values) < then
    spread = max(values) - min(values)
    assert (found.kind is FindingKind.TARGET_MOVED) == (better and min(abs(one - then) for one in values) > spread)
