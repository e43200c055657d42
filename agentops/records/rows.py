"""The ledger `.agents/evolve/cycle-history.jsonl`: one compact JSON object a cycle, appended and never rewritten.

The keys up to `goals_total` are upstream's and come first; shell readers match text such as `"result":"unchanged"`, so
there is no space after a colon or comma. The file grows for years: everything here reads its end, never the whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from agentops.core.judging import Result
from agentops.host import files
from agentops.host.faults import fault

TAIL_BYTES = 64 * 1024
_WIDEST_TAIL = 16 * 1024 * 1024
LARGEST_CYCLE = 2**53
"""Beyond it JSON readers disagree on integers; such a number is damage, and following it would end the numbering."""
_RESULTS = {str(result): result for result in Result}


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One truthful line. `timestamp` is UTC with `Z`; `seconds` and the values of `phases` are seconds; None is not known.

    `result` is one of core's `Result` in everything we write; rows of other writers keep whatever word they hold.
    `reason` is the text of a core `Reason`; `contested` are paths left as someone else left them; `level` is the sandbox.
    """

    cycle: int
    target: str
    result: Result | str
    timestamp: str
    sha: str | None = None
    canonical_sha: str | None = None
    log_sha: str | None = None
    goals_passing: int | None = None
    goals_total: int | None = None
    idle_streak: int | None = None
    oscillations: int | None = None
    reason: str | None = None
    session_id: str | None = None
    run_id: str | None = None
    source: str | None = None
    worker: str | None = None
    title: str | None = None
    agent: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    usd: float | None = None
    cost_known: bool | None = None
    seconds: float | None = None
    phases: Mapping[str, float] | None = None
    files_changed: int | None = None
    level: str | None = None
    contested: tuple[str, ...] | None = None
    notes: str | None = None

    @property
    def productive(self) -> bool:
        """A cycle that counts as progress for the breakers: kept work, or a harvest with new items."""
        return self.result in (Result.IMPROVED, Result.HARVESTED)


@dataclass(frozen=True, slots=True)
class Tail:
    """The valid rows at the end of a ledger, oldest first. `bad_lines`: not blank, and no row. `size`: bytes of the file."""

    rows: tuple[CycleRow, ...] = ()
    bad_lines: int = 0
    size: int = 0


def encode(row: CycleRow) -> bytes:
    """One line without its newline. What is None is left out."""
    filled = {name: value for name in CycleRow.__slots__ if (value := getattr(row, name)) is not None}
    return msgspec.json.encode(filled)


def decode(line: bytes) -> CycleRow | None:
    """The row of a line; None when it is none. Any bytes will do: a garbage line is data about the past, not an error."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return _row(found) if isinstance(found, dict) else None


def tail(path: str, limit_bytes: int = TAIL_BYTES) -> Tail:
    """The rows within the last `limit_bytes`. A missing file is an empty ledger; raises OSError for one that cannot be read."""
    size = _size(path)
    if size == 0:
        return Tail()
    rows, bad = _rows_of(files.read_tail(path, limit_bytes).split(b"\n"))
    return Tail(rows, bad, size)


def last_cycle(path: str) -> int:
    """The highest number of a valid row near the end; 0 for an empty ledger.

    The maximum and not the last row: older rows written around the log script reused numbers. When the end holds no valid
    row at all (loop-peers B-T4), the look goes further back, up to 16 MiB.
    """
    limit = TAIL_BYTES
    while True:
        seen = tail(path, limit)
        if seen.rows or limit >= min(seen.size, _WIDEST_TAIL):
            return max((row.cycle for row in seen.rows), default=0)
        limit *= 16


def append(path: str, row: CycleRow) -> None:
    """Add one row, on the disk before this returns. Raises OSError; a half-written line is healed by the next append."""
    files.ensure_folder(os.path.dirname(os.path.abspath(path)), mode=0o755)
    fault("rows.append.before")
    files.append_line(path, encode(row), mode=0o644)
    fault("rows.append.after")


def append_next(path: str, cycle: int, line: bytes) -> int | None:
    """Append another writer's line if `cycle` is the number that comes next; the number that would be, when it is not.

    Looked at and written under one lock: two writers cannot take the same number. Raises OSError.
    """
    files.ensure_folder(os.path.dirname(os.path.abspath(path)), mode=0o755)
    expected: list[int] = []

    def is_next() -> bool:
        expected.append(last_cycle(path) + 1)
        return expected[-1] == cycle

    fault("rows.append.before")
    if not files.append_line(path, line, mode=0o644, allowed=is_next):
        return expected[-1]
    fault("rows.append.after")
    return None


def append_once(path: str, row: CycleRow) -> bool:
    """`append` unless this cycle of the same session (or run) is there already; True when it was written.

    Recovery calls this again after a crash between writing the row and noting that in the journal.
    """
    if any(_same_cycle(seen, row) for seen in tail(path).rows):
        return False
    append(path, row)
    return True


def _same_cycle(seen: CycleRow, row: CycleRow) -> bool:
    if seen.cycle != row.cycle:
        return False
    if row.session_id is not None:
        return seen.session_id == row.session_id
    return seen.run_id == row.run_id


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _rows_of(lines: Iterable[bytes]) -> tuple[tuple[CycleRow, ...], int]:
    rows: list[CycleRow] = []
    bad = 0
    for line in lines:
        if not line.strip():
            continue
        row = decode(line)
        if row is None:
            bad += 1
        else:
            rows.append(row)
    return tuple(rows), bad


def _row(found: dict[str, object]) -> CycleRow | None:
    """A row of any writer: other names of the same facts are understood, what has the wrong type counts as not said."""
    cycle = _whole(found.get("cycle"))
    if cycle is None or not 0 <= cycle < LARGEST_CYCLE:
        return None
    word = _text(found.get("result")) or ""
    return CycleRow(
        cycle=cycle,
        target=_text(found.get("target")) or _text(found.get("goal_id")) or ("parallel-wave" if found.get("parallel") else ""),
        result=_RESULTS.get(word, word),
        timestamp=_text(found.get("timestamp")) or _text(found.get("started_at")) or "",
        sha=_first_text(found, "sha", "commit_sha", "commit"),
        canonical_sha=_text(found.get("canonical_sha")),
        log_sha=_text(found.get("log_sha")),
        goals_passing=_whole(found.get("goals_passing")),
        goals_total=_whole(found.get("goals_total")),
        idle_streak=_whole(found.get("idle_streak")),
        oscillations=_whole(found.get("oscillations")),
        reason=_text(found.get("reason")),
        session_id=_text(found.get("session_id")),
        run_id=_text(found.get("run_id")),
        source=_first_text(found, "source", "selected_source"),
        worker=_text(found.get("worker")),
        title=_text(found.get("title")),
        agent=_text(found.get("agent")),
        tokens_in=_whole(found.get("tokens_in")),
        tokens_out=_whole(found.get("tokens_out")),
        usd=_number(found.get("usd")),
        cost_known=known if isinstance(known := found.get("cost_known"), bool) else None,
        seconds=_number(found.get("seconds")),
        phases=_phases(found.get("phases")),
        files_changed=_whole(found.get("files_changed")),
        level=_text(found.get("level")),
        contested=_texts(found.get("contested")),
        notes=_text(found.get("notes")),
    )


def _first_text(found: dict[str, object], *names: str) -> str | None:
    return next((text for name in names if (text := _text(found.get(name)))), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300 else None


def _phases(value: object) -> dict[str, float] | None:
    if not isinstance(value, dict):
        return None
    return {name: seconds for name, raw in value.items() if (seconds := _number(raw)) is not None}


def _texts(value: object) -> tuple[str, ...] | None:
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else None
