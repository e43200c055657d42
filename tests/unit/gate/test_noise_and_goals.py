"""What a rerun explains, and what comparing two measurements finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again, Finding, FindingKind
from agentops.gate.goals import compare, target_moved
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
