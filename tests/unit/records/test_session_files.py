"""The Markdown files that a session leaves: upstream's headings and table, whatever goals are called."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import Result
from agentops.records import session_files
from agentops.records.rows import CycleRow
from agentops.records.session_files import QualityPoint, delta

P, F, S = GoalOutcome.PASS, GoalOutcome.FAIL, GoalOutcome.SKIP


def _fitness(**outcomes: GoalOutcome) -> Fitness:
    return Fitness("", "abc", tuple(GoalResult(name, outcome, 5, 0.1) for name, outcome in outcomes.items()))


def test_only_fail_to_pass_and_pass_to_fail_count() -> None:
    before = _fitness(a=F, b=P, c=P, d=S, e=F)
    text = session_files.fitness_delta(delta(before, _fitness(a=P, b=F, c=S, d=P, e=F, new=P)))
    assert text == (
        "# Session Fitness Trajectory\n\n"
        "| goal_id | baseline_result | final_result | delta |\n"
        "|---------|-----------------|--------------|-------|\n"
        "| a | fail | pass | improved |\n"
        "| b | pass | fail | regressed |\n"
        "| c | pass | skip | unchanged |\n"
        "| d | skip | pass | unchanged |\n"
        "| e | fail | fail | unchanged |\n"
        "| new | unknown | pass | unchanged |\n\n"
        "**Summary:** 1 improved, 1 regressed, 4 unchanged\n"
    )


def test_without_a_baseline_nothing_is_called_better() -> None:
    assert delta(None, _fitness(a=P, b=F)).line == "0 improved, 0 regressed, 2 unchanged"


@given(st.text())
def test_a_goal_of_any_name_stays_one_row_of_the_table(name: str) -> None:
    found = delta(None, Fitness("", "", (GoalResult(name, P, 5, 0.1),)))
    rows = session_files.fitness_delta(found).split("\n")
    assert len(rows) == 8 and rows[4].replace("\\|", "").count("|") == 5


def test_the_summary_has_upstreams_headings_and_no_more_rows_than_a_person_reads() -> None:
    history = [CycleRow(n, "a", Result.IMPROVED, "2026-11-30T23:04:05Z") for n in range(1, 2000)]
    text = session_files.summary(
        date="2026-12-01T07:00:00Z", cycles=1999, most=None, final=_fitness(a=P), history=history, report="/x.html", stop="budget"
    )
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == ["# /evolve Session Summary", "## Cycle History", "## Final Fitness", "## Post-Mortem", "## Next Steps"]
    assert "**Date:** 2026-12-01T07:00:00Z\n**Cycles:** 1999\n**Goals measured:** 1\n" in text
    assert text.count('"cycle":') == session_files.MOST_ROWS and '"cycle":1999,' in text
    assert session_files.summary(date="", cycles=0, most=5, final=None, history=(), report="", stop="").count("0 of 5") == 1


def test_the_quality_score_is_upstreams() -> None:
    assert [QualityPoint("", *found).score for found in ((0, 0), (1, 2), (11, 0))] == [100, 84, 0]
    assert [QualityPoint("", high, 0).band for high in (0, 1, 2, 4, 6)] == ["excellent", "excellent", "good", "attention", "debt"]
    text = session_files.quality_trajectory((QualityPoint("start", 2, 1), QualityPoint("end", 1, 1)))
    assert "**Quality score:** 77 → 87 (+10)" in text and "**Remaining unconsumed:** 1 high, 1 medium" in text


def test_a_file_that_cannot_be_replaced_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.md"
    session_files.write(str(path), "one\ud800\n")
    assert path.read_text() == "one\\ud800\n"
