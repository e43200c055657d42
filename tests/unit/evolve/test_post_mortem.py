"""Follow-ups that the end of a session finds by rules: few, each once, and never a promise that nobody can keep."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import FindingKind
from agentops.evolve.post_mortem import MOST, follow_ups
from agentops.evolve.tally import TROUBLE, Trouble

KINDS = sorted(TROUBLE)
TROUBLES = st.lists(
    st.builds(Trouble, st.sampled_from(KINDS), st.sampled_from(["a", "b", "c", "x\n"]), st.text(max_size=400), st.integers(1, 9))
)


def _flaky(cycle: int) -> Trouble:
    return Trouble(FindingKind.FLAKY, "slow-test", "failed once, then passed on the same tree: port in use", cycle)


def test_one_flake_is_chance_and_two_are_work() -> None:
    assert follow_ups([_flaky(1)], {}, (), None) == ()
    assert follow_ups([_flaky(1), _flaky(1)], {}, (), None) == (), "twice in one cycle is one cycle"
    (found,) = follow_ups([_flaky(1), _flaky(4)], {}, (), None)
    assert (found.key, found.type, found.for_person) == ("post-mortem|flaky|slow-test", "bug", False)
    assert found.evidence.startswith("cycles 1, 4: failed once")


def test_what_was_tried_three_times_is_not_offered_to_the_next_night_again() -> None:
    (found,) = follow_ups([], {"tests-green": "it rests: 3 tries without success (target_unmoved)"}, (), None)
    assert found.for_person and "tests-green" in found.title and "3 tries" in found.evidence


def test_what_is_undone_again_and_again_is_a_question_about_what_undoes_it() -> None:
    (found,) = follow_ups([], {"build": "in quarantine: improved and failing again 3 times"}, {"build"}, None)
    assert found.title == "Find out what undoes `build`" and found.for_person


def test_a_gate_that_cannot_work_comes_first_since_it_costs_good_work() -> None:
    errors = [Trouble(FindingKind.GATE_ERROR, "1", "timed out", cycle) for cycle in (2, 3)]
    found = follow_ups([_flaky(1), _flaky(2), *errors], {"t": "it rests"}, (), None)
    assert [one.key.split("|")[1] for one in found] == ["gate-error", "flaky", "resting"]
    assert found[0].for_person and found[0].severity == "high"


def test_checks_that_change_files_or_cannot_run_are_named() -> None:
    broken = GoalResult("b", GoalOutcome.FAIL, 5, 0.1, output="bash: nope: command not found", broken=True)
    found = follow_ups([], {}, (), Fitness("", "", (broken,), mutating=("out/a.txt", "b.txt")))
    assert [one.key for one in found] == ["post-mortem|mutating|out/a.txt", "post-mortem|broken|b"]
    assert "nope" in found[1].evidence and found[1].for_person


@given(TROUBLES, st.dictionaries(st.text(max_size=20), st.text(max_size=400), max_size=30))
def test_a_session_of_any_kind_leaves_a_handful_each_once_on_one_line(troubles: list[Trouble], rests: dict[str, str]) -> None:
    found = follow_ups(troubles, rests, list(rests)[:3], None)
    assert len(found) <= MOST
    assert len({one.key for one in found}) == len(found)
    assert all("\n" not in one.evidence and len(one.evidence) < 400 for one in found)
