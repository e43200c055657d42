"""`.agents/ao/skill-telemetry.jsonl`: one row a finished cycle, in upstream's format. Losing one costs nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping

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


def append(path: str, skill: str, event: str, timestamp: str, facts: Mapping[str, object]) -> None:
    """Append a line of any skill; facts cannot take the place of the four keys that every line has. Raises OSError."""
    fixed = {"schema_version": SCHEMA_VERSION, "skill": skill, "event": event, "timestamp": timestamp}
    files.ensure_folder(os.path.dirname(os.path.abspath(path)), mode=0o755)
    fault("telemetry.append.before")
    files.append_line(path, msgspec.json.encode({**fixed, **facts, **fixed}), mode=0o644, durable=False)


def cycle_complete(path: str, row: CycleRow) -> None:
    """Append the row of a finished cycle; a file that cannot be written is no reason to stop."""
    try:
        fault("telemetry.append.before")
        files.append_line(path, encode(row), mode=0o644, durable=False)
    except OSError:
        pass
