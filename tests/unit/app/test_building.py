"""What a loop is built from, as far as it comes from the past."""

from __future__ import annotations

from pathlib import Path

from agentops.app.building import spent
from agentops.records.rows import CycleRow, append


def test_only_what_this_session_has_spent_counts_against_its_caps(tmp_path: Path) -> None:
    ledger = str(tmp_path / "cycle-history.jsonl")
    assert spent(ledger, "s").usd is None
    for cycle, session, usd in ((1, "last night", 90.0), (2, "s", 1.5), (3, "s", None), (4, "s", 2.0)):
        tokens = None if usd is None else 100
        append(ledger, CycleRow(cycle, "t", "improved", "2026-12-01T00:00:00Z", session_id=session, usd=usd, tokens_in=tokens))
    used = spent(ledger, "s")
    assert (used.usd, used.tokens_in, used.tokens_out) == (3.5, 200, None)
