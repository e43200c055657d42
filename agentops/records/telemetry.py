"""`.agents/ao/skill-telemetry.jsonl`: one row a finished cycle, in upstream's format. Losing one costs nothing."""

from __future__ import annotations

import msgspec

from agentops.host import files
from agentops.host.faults import fault
from agentops.records.rows import CycleRow

SCHEMA_VERSION = 1


def encode(row: CycleRow) -> bytes:
    """The telemetry line of a cycle, without its newline."""
    facts: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "skill": "evolve",
        "event": "cycle-complete",
        "timestamp": row.timestamp,
        "cycle": row.cycle,
        "target": row.target,
        "result": str(row.result),
    }
    for name in ("goals_passing", "goals_total", "seconds", "session_id"):
        if (value := getattr(row, name)) is not None:
            facts[name] = value
    return msgspec.json.encode(facts)


def cycle_complete(path: str, row: CycleRow) -> None:
    """Append the row of a finished cycle; a file that cannot be written is no reason to stop."""
    try:
        fault("telemetry.append.before")
        files.append_line(path, encode(row), mode=0o644, durable=False)
    except OSError:
        pass
