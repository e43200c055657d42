"""The verdict: one pure function, held to its promises over every combination of facts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.judging import Finding, FindingKind, ReasonKind, Result
from agentops.core.processes import Ended
from agentops.core.work import Attempt, Claimed
from agentops.gate.verdict import Facts, decide

FINDINGS = st.lists(st.builds(Finding, st.sampled_from(FindingKind), st.sampled_from(["a", "b", "1"]), st.just("")), max_size=5)
FACTS = st.builds(
    Facts,
    attempt=st.builds(Attempt, st.just("phases"), st.sampled_from(Ended), st.sampled_from(Claimed)),
    findings=FINDINGS.map(tuple),
    changed=st.booleans(),
    harvested=st.booleans(),
    own_check=st.booleans(),
    interrupted=st.booleans(),
    contested=st.booleans(),
    keep_partial=st.booleans(),
    require_gate=st.booleans(),
)


def kinds(facts: Facts) -> set[FindingKind]:
    return {finding.kind for finding in facts.findings}


@given(FACTS)
def test_nothing_that_breaks_something_is_ever_kept(facts: Facts) -> None:
    verdict = decide(facts)
    broken = kinds(facts) & {FindingKind.GOAL, FindingKind.COMMAND, FindingKind.TAMPERED, FindingKind.GATE_ERROR}
    assert not (broken and facts.changed and verdict.keep)


@given(FACTS)
def test_improved_means_that_the_works_own_check_says_so(facts: Facts) -> None:
    verdict = decide(facts)
    if verdict.result is Result.IMPROVED:
        assert facts.changed and verdict.keep
        assert not facts.own_check or kinds(facts) & {FindingKind.TARGET_REACHED, FindingKind.TARGET_MOVED}


@given(FACTS)
def test_a_stop_and_a_contested_tree_keep_nothing(facts: Facts) -> None:
    verdict = decide(facts)
    if facts.interrupted or facts.contested:
        assert (verdict.result, verdict.keep) == (Result.UNCHANGED, False)


@given(FACTS)
def test_regressed_names_a_finding_that_is_there(facts: Facts) -> None:
    verdict = decide(facts)
    if verdict.result is Result.REGRESSED:
        assert verdict.reason.detail in {finding.subject for finding in facts.findings}
        assert not verdict.keep


@given(FACTS)
def test_a_gate_that_nothing_passed_is_never_called_judged(facts: Facts) -> None:
    verdict = decide(facts)
    if verdict.result is Result.IMPROVED and verdict.reason.kind is ReasonKind.JUDGED:
        assert FindingKind.RAN in kinds(facts)


@given(FACTS)
def test_more_text_never_makes_a_verdict_better(facts: Facts) -> None:
    """The agent's words can't turn an unmoved target into progress."""
    said_done = decide(
        Facts(**{name: getattr(facts, name) for name in Facts.__slots__} | {"attempt": Attempt("phases", Ended.OK, Claimed.DONE)})
    )
    if facts.own_check and facts.changed and not kinds(facts) & {FindingKind.TARGET_REACHED, FindingKind.TARGET_MOVED}:
        assert said_done.result is not Result.IMPROVED


def test_an_agent_that_claims_done_and_changed_nothing_is_a_no_op() -> None:
    verdict = decide(Facts(Attempt("phases", Ended.OK, Claimed.DONE), (), changed=False))
    assert str(verdict.reason) == "no_op"


def test_an_agent_that_fails_without_a_verdict_is_named_by_its_end() -> None:
    verdict = decide(Facts(Attempt("phases", Ended.TIMEOUT), (), changed=True))
    assert str(verdict.reason) == "agent:timeout"


def test_partial_work_stays_only_when_the_owner_says_so() -> None:
    unmoved = (Finding(FindingKind.TARGET_UNMOVED, "g"),)
    attempt = Attempt("phases", Ended.OK, Claimed.PARTIAL)
    assert not decide(Facts(attempt, unmoved, changed=True)).keep
    kept = decide(Facts(attempt, unmoved, changed=True, keep_partial=True))
    assert (kept.keep, kept.result, str(kept.reason)) == (True, Result.UNCHANGED, "partial")


def test_a_reached_target_counts_even_when_the_agent_calls_it_partial() -> None:
    reached = (Finding(FindingKind.TARGET_REACHED, "g"),)
    assert decide(Facts(Attempt("phases", Ended.OK, Claimed.PARTIAL), reached, changed=True)).result is Result.IMPROVED
