"""The flake ledger `$GIT_COMMON_DIR/ao/flakes.jsonl`: checks that failed for reasons of their own, one line each time.

A check that is there often is worth mending before anything else (loop-peers B-G6).
"""

from __future__ import annotations

from agentops.core import wire
from agentops.core.judging import Finding
from agentops.host import files
from agentops.host.faults import fault


def append(path: str, *, timestamp: str, cycle: int, finding: Finding) -> None:
    """Add one line; not synced, and a full disk costs only the line."""
    line = {"timestamp": timestamp, "cycle": cycle, "kind": finding.kind, "subject": finding.subject, "detail": finding.detail}
    try:
        fault("flakes.append.before")
        files.append_line(path, wire.dump(line), durable=False)
    except OSError:
        return
