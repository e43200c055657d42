"""The books: ledger, journal and lock, read without the product's own code, and what must be true of them."""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.torture.ground import Ground
from tests.torture.starting import Ended

Row = dict[str, Any]
EXITS = {
    "kill-switch": {0},
    "max-cycles": {0},
    "budget": {0},
    "stagnation": {0},
    "circuit-breaker": {5},
    "contested": {7},
    "auth": {7},
    "no-agent": {7},
    "environment": {1, 2, 7},
    "disk-full": {7},
    "signal": {129, 130, 143},
}
"""evolve.md section 1."""
LEDGER = ".agents/evolve/cycle-history.jsonl"
QUEUE = ".agents/rpi/next-work.jsonl"
_LIFECYCLE = ("claim_status", "claimed_by", "claimed_at", "consumed", "consumed_by", "consumed_at", "failed_at")
_LAST = ("cleared", "declined")


def ledger(ground: Ground) -> list[Row]:
    """Every row; raises ValueError for a line that is none."""
    return [json.loads(line) for line in _lines(ground.repo / LEDGER)]


def journal(ground: Ground) -> list[Row]:
    """The journal's lines; one that a kill tore is passed over, as the product may."""
    found = []
    for line in _lines(ground.state / "journal.jsonl"):
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()] if path.exists() else []


def wrong_books(ground: Ground) -> Iterator[str]:
    """I2 and I5: the ledger parses, numbers rise, every started cycle has exactly one outcome, nothing is held."""
    try:
        rows = ledger(ground)
    except (ValueError, OSError) as error:
        yield f"I2 the ledger does not parse: {error}"
        return
    sessions = {line.get("session") for line in journal(ground)}
    numbers = [row["cycle"] for row in rows]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        yield f"I2 numbers do not rise: {numbers}"
    # Rows of sessions before this journal are none of its business; the fake ones of an agent have no session.
    mine = [row["cycle"] for row in rows if row.get("session_id") is None or row["session_id"] in sessions]
    yield from _wrong_outcomes(ground, Counter(mine))
    for lock in (ground.state / "lock", ground.repo / ".agents" / "rpi" / "supervisor.lock"):
        if lock.exists() and _is_held(lock):
            yield f"I5 {lock.name} is still held"
    # Below our own folder they belong to private copies that are made anew under another name.
    found = (path.relative_to(ground.repo) for path in (ground.repo / ".git").rglob("*.lock"))
    locks = [str(path) for path in found if path.parts[:2] != (".git", "ao")]
    if locks:
        yield f"I4 lock files of git are left: {locks}"


def _wrong_outcomes(ground: Ground, rows: Counter[int]) -> Iterator[str]:
    open_cycle: int | None = None
    ended: Counter[int] = Counter()
    for line in journal(ground):
        step, cycle = line.get("step"), line.get("cycle")
        if step == "opened":
            if open_cycle is not None:
                yield f"I2 cycle {open_cycle} was left open when {cycle} was opened"
            open_cycle = cycle
        elif step in _LAST and cycle == open_cycle:
            open_cycle = None
        if step == "cleared" and isinstance(cycle, int):
            ended[cycle] += 1
    if open_cycle is not None:
        yield f"I5 cycle {open_cycle} is still open"
    twice = [cycle for cycle, times in ended.items() if times > 1]
    if twice:
        yield f"I2 cycles with two outcomes: {twice}"
    missing = sorted(set(ended) - set(rows))
    if missing:
        yield f"I2 cycles without a row: {missing}"
    strange = sorted(set(rows) - set(ended))
    if strange:
        yield f"I2 rows of cycles that the journal never ended: {strange}"


def wrong_queue(ground: Ground, asked: tuple[Row, ...]) -> Iterator[str]:
    """Every row is there with all that a person wrote in it, the first item is done and nobody holds another."""
    try:
        rows = [json.loads(line) for line in _lines(ground.repo / QUEUE)]
    except (ValueError, OSError) as error:
        yield f"I5 the queue does not parse: {error}"
        return
    # What the end of a session learnt by rules comes after them, each once.
    learnt = [item.get("dedup_key") for row in rows[len(asked) :] for item in row["items"]]
    if len(set(learnt)) != len(learnt):
        yield f"I5 the same follow-up was queued twice: {learnt}"
    rows = rows[: len(asked)]
    if [_as_written(row) for row in rows] != [_as_written(row) for row in asked]:
        yield f"I1 rows of the queue are not as they were written: {rows}"
        return
    states = [(bool(item.get("consumed")), item.get("claim_status")) for row in rows for item in row["items"]]
    if asked and states[0][0] is not True:
        yield f"I5 the item that was done is not consumed: {rows[0]}"
    for row, (consumed, status) in zip(rows[1:], states[1:], strict=True):
        if consumed or status == "in_progress":
            yield f"I5 an item that was not done is {status}: {row}"


def _as_written(row: Row) -> Row:
    """Without what only we write."""

    def plain(found: Row) -> Row:
        return {key: value for key, value in found.items() if key not in _LIFECYCLE and not key.startswith("x_ao_")}

    return {**plain(row), "items": [plain(item) for item in row["items"]]}


def _is_held(path: Path) -> bool:
    fd = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def wrong_end(ended: Ended) -> Iterator[str]:
    """I3 and I6: nothing of it lives, and what it says about its end is what the exit code says."""
    if ended.left:
        yield f"I3 alive after the end: {ended.left}"
    if ended.killed:
        return
    report = ended.report
    if ended.code == 1 or b"Traceback" in ended.err:
        yield f"I6 unexpected error: {ended.told()}"
    if report is None:
        if ended.code in (0, 5):
            yield f"I6 no report: {ended.told()}"
        return
    if report["exit_code"] != ended.code:
        yield f"I6 the report says {report['exit_code']}, the process {ended.code}"
    if ended.code not in EXITS.get(report["stop_reason"], set()):
        yield f"I6 `{report['stop_reason']}` ended with {ended.code}"
    if report["survivors"]:
        yield f"I3 the report counts {report['survivors']} survivors"


def wrong_repository(ground: Ground, commits: list[str]) -> Iterator[str]:
    """Git finds nothing wrong, and every commit of the person's is still in HEAD's history."""
    said = ground.git("fsck", "--no-dangling", "--no-progress", check=False)
    head = ground.git("rev-parse", "--verify", "-q", "HEAD", check=False)
    if not head.strip():
        yield "HEAD names no commit"
        return
    # Git never writes the empty tree but knows it all the same: an index from which all was removed names it.
    fine = (b"notice", b"dangling", b"unreachable", b"missing tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    bad = [line for line in said.splitlines() if not line.startswith(fine)]
    if bad:
        yield f"git fsck: {b'; '.join(bad)[:400].decode(errors='replace')}"
    history = set(ground.git("rev-list", "HEAD").decode().split())
    lost = [sha for sha in commits if sha not in history]
    if lost:
        yield f"commits of the person's are not in HEAD's history: {lost}"
