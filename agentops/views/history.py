"""The ledger's last rows for a person."""

from __future__ import annotations

from agentops.records.rows import CycleRow, Tail
from agentops.records.times import wall_of
from agentops.views.blocks import Block, Table, clipped
from agentops.views.report import how_to_return, tone, way_back
from agentops.views.times import local


def blocks(seen: Tail, limit: int, now: float) -> list[Block]:
    """The newest rows last, as one reads a log."""
    rows = seen.rows[-limit:]
    if not rows:
        return ["No cycle has run here yet: ao evolve --max-cycles=1"]
    out: list[Block] = [
        Table(
            ("cycle", "when", "result", "target", "why", "goals", "work"),
            tuple(_cells(row, now) for row in rows),
            right=frozenset({0}),
            tones=tuple(tone(row) for row in rows),
        )
    ]
    out += how_to_return(rows)
    if seen.bad_lines:
        out.append(f"note: {seen.bad_lines} of the last lines could not be read as rows and were left out")
    return out


def _cells(row: CycleRow, now: float) -> tuple[str, ...]:
    at = wall_of(row.timestamp)
    goals = f"{row.goals_passing}/{row.goals_total}" if row.goals_passing is not None and row.goals_total is not None else ""
    return (
        str(row.cycle),
        local(at, now) if at is not None else "",
        str(row.result),
        clipped(row.target or row.title or "", 40),
        row.reason or "",
        goals,
        way_back(row),
    )
