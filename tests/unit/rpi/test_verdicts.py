"""What a phase says of itself, in every form in which it may say it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.rpi.verdicts import ALLOWED, Phase, Said, from_council, from_json, from_promise


@given(st.sampled_from(Phase), st.binary(max_size=200))
def test_any_bytes_are_a_verdict_or_none(phase: Phase, raw: bytes) -> None:
    verdict = from_json(phase, raw)
    assert verdict is None or verdict.said in ALLOWED[phase]


def test_a_word_that_the_phase_may_not_say_is_no_verdict() -> None:
    assert from_json(Phase.VALIDATION, b'{"verdict": "BLOCKED"}') is None
    assert from_json(Phase.IMPLEMENTATION, b'{"verdict": "blocked"}') is not None


def test_the_last_promise_counts() -> None:
    text = "<promise>FAIL</promise> but then\n<promise> DONE </promise>"
    verdict = from_promise(Phase.VALIDATION, text)
    assert verdict is not None and verdict.said is Said.DONE


def test_a_council_report_speaks_by_its_verdict_line_alone() -> None:
    report = "# x\nPASS PASS\n## Council Verdict: FAIL\nFINDING: it leaks | FIX: close it\n"
    verdict = from_council(Phase.VALIDATION, report)
    assert verdict is not None and verdict.said is Said.FAIL and verdict.findings == ("it leaks | FIX: close it",)
    assert from_council(Phase.VALIDATION, "Council Verdict: PASS") is None


def test_findings_of_a_wrong_shape_are_dropped_and_the_verdict_stays() -> None:
    verdict = from_json(Phase.DISCOVERY, b'{"verdict": "WARN", "findings": "none", "summary": 5}')
    assert verdict is not None and verdict.findings == () and verdict.summary == "5"
