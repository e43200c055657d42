"""The flake ledger `$GIT_COMMON_DIR/ao/flakes.jsonl`: checks that failed for reasons of their own, one line each time.

A check that is there often is worth mending before anything else (loop-peers B-G6).
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from agentops.core import wire
from agentops.core.judging import Finding
from agentops.host import files
from agentops.host.faults import fault

_TAIL_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Flake:
    """One line. `kind`: `flaky` or `environment`; `timestamp` is UTC text, which orders as it reads."""

    timestamp: str
    cycle: int
    kind: str
    subject: str
    detail: str = ""


def since(path: str, moment: str) -> tuple[Flake, ...]:
    """The ledger's last lines that are not older than `moment` (UTC text); lines that are none are passed over."""
    found = []
    try:
        lines = files.tail_lines(path, _TAIL_BYTES)
    except OSError:
        return ()
    for line in lines:
        try:
            one = msgspec.json.decode(line, type=Flake)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        if one.timestamp >= moment:
            found.append(one)
    return tuple(found)


def append(path: str, *, timestamp: str, cycle: int, finding: Finding) -> None:
    """Add one line; not synced, and a full disk costs only the line."""
    line = {"timestamp": timestamp, "cycle": cycle, "kind": finding.kind, "subject": finding.subject, "detail": finding.detail}
    try:
        fault("flakes.append.before")
        files.append_line(path, wire.dump(line), durable=False)
    except OSError:
        return
