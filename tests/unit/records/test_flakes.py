"""The flake ledger is read for its last month, whatever stands between the lines."""

from __future__ import annotations

from pathlib import Path

from agentops.core.judging import Finding, FindingKind
from agentops.records import flakes


def test_lines_that_are_none_and_lines_that_are_old_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "flakes.jsonl"
    for moment, cycle in (("2026-10-01T00:00:00Z", 1), ("2026-11-30T00:00:00Z", 2)):
        flakes.append(str(path), timestamp=moment, cycle=cycle, finding=Finding(FindingKind.FLAKY, "t", "why"))
    with path.open("ab") as out:
        out.write(b'{"cycle":3}\nno line \xff\n[]\n{"timestamp":"2026-12-01T00:00:00Z","cycle":4,"kind":"flaky","subject":"t"')
    assert [(one.cycle, one.subject, one.detail) for one in flakes.since(str(path), "2026-11-01T00:00:00Z")] == [(2, "t", "why")]
    assert flakes.since(str(tmp_path / "none"), "") == () and flakes.since(str(tmp_path), "") == ()
