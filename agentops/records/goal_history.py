"""`.agents/ao/goals/history.jsonl`: one line a measurement that a person asked for, in upstream's format.

Its command has a reader that one torn line stops, and nothing that writes; here both are whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from agentops.core.fitness import Fitness, GoalResult
from agentops.host import files
from agentops.host.faults import fault
from agentops.records import fitness_file

HISTORY = ".agents/ao/goals/history.jsonl"
_READ = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One measurement. `snapshot_path` as written: usually relative to the repository's top."""

    timestamp: str
    goals_passing: int
    goals_total: int
    score: float
    snapshot_path: str = ""
    git_sha: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The rows in the order of the file, and how many lines could not be read."""

    rows: tuple[HistoryRow, ...] = ()
    bad_lines: int = 0


@dataclass(frozen=True, slots=True)
class Past:
    """Rows that somebody asked for, and how many lines could not be read. `results`: what each says of one goal."""

    rows: tuple[HistoryRow, ...]
    bad_lines: int = 0
    results: tuple[GoalResult, ...] = ()


def append(top: str, fitness: Fitness, snapshot_path: str) -> None:
    """Add the line of a measurement. Raises OSError."""
    row = {
        "timestamp": fitness.timestamp,
        "goals_passing": fitness.passing,
        "goals_total": len(fitness.goals),
        "score": fitness_file.score(fitness.goals),
        "snapshot_path": os.path.relpath(snapshot_path, top),
        "git_sha": fitness.git_sha,
    }
    fault("goal_history.append.before")
    files.append_line(os.path.join(top, HISTORY), msgspec.json.encode(row), mode=0o644, durable=False)


def read(top: str) -> History:
    """The newest 16 MiB of the history; a line that cannot be read is counted and passed over."""
    return _rows(files.tail_lines(os.path.join(top, HISTORY), _READ))


def _rows(lines: Iterable[bytes]) -> History:
    rows: list[HistoryRow] = []
    bad = 0
    for line in lines:
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            bad += 1
        else:
            rows.append(row)
    return History(tuple(rows), bad)


def _row(line: bytes) -> HistoryRow | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("timestamp"), str):
        return None
    passing, total, score = found.get("goals_passing"), found.get("goals_total"), found.get("score")
    path, sha = found.get("snapshot_path"), found.get("git_sha")
    return HistoryRow(
        found["timestamp"],
        passing if isinstance(passing, int) else 0,
        total if isinstance(total, int) else 0,
        float(score) if isinstance(score, (int, float)) else 0.0,
        path if isinstance(path, str) else "",
        sha if isinstance(sha, str) else "",
    )
