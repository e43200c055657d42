"""`$GIT_COMMON_DIR/ao/targets.json`: what the ledger adds up to for each target, so that nobody reads a long ledger whole.

It is derived: `ledger` and `tail` say up to where of which ledger it counts. Only `since` and `head` are not in the ledger:
from which cycle on a person wants a target to count afresh, and where HEAD was left.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Any

import msgspec

from agentops.core.judging import Result
from agentops.host import files, spans
from agentops.host.faults import fault
from agentops.records.rows import LARGEST_CYCLE, CycleRow, decode

VERSION = 1
_TAIL = 4096
_LARGEST = 64 * 1024 * 1024
_PIECE = 4 * 1024 * 1024


class Book(msgspec.Struct):
    """The file. `ledger`: bytes that are counted; `tail`: hash of the last of them."""

    version: int = VERSION
    ledger: int = 0
    tail: str = ""
    head: str = ""
    since: dict[str, int] = {}
    targets: dict[str, dict[str, Any]] = {}


class Counted(msgspec.Struct):
    """The part of a row that is counted: read at a quarter of what the whole row costs, which a ledger of years is felt by."""

    cycle: int
    target: str
    result: str
    timestamp: str
    reason: str | None = None
    oscillations: int | None = None

    @property
    def productive(self) -> bool:
        """As `CycleRow.productive`."""
        return self.result in _PRODUCTIVE


_PRODUCTIVE = (Result.IMPROVED, Result.HARVESTED)
_READ = msgspec.json.Decoder(Counted)


def load(path: str) -> Book:
    """The book; an empty one where there is none, or one that cannot be read."""
    try:
        found = msgspec.json.decode(files.read_bounded(path, _LARGEST), type=Book)
    except (OSError, msgspec.DecodeError, ValueError):
        return Book()
    return found if found.version == VERSION else Book(head=found.head, since=found.since)


def save(path: str, book: Book, *, durable: bool = False) -> None:
    """Write it. What a power cut loses is counted again from the ledger; `durable` where `since` has changed, which is in no
    ledger. Raises OSError.
    """
    fault("targets.save.before")
    files.write_atomic(path, msgspec.json.encode(book), durable=durable)


def tail_of(ledger: str, size: int) -> str:
    """Names the ledger up to `size` by its last bytes before it."""
    try:
        return hashlib.sha256(spans.read_span(ledger, max(0, size - _TAIL), size)).hexdigest()
    except OSError:
        return ""


def size_of(ledger: str) -> int:
    """Bytes of the ledger; 0 for one that is not there, or is none: a cycle that was cut off may have put a folder there."""
    try:
        facts = os.stat(ledger)
    except OSError:
        return 0
    return facts.st_size if stat.S_ISREG(facts.st_mode) else 0


def rows_from(ledger: str, start: int, end: int) -> Iterator[Counted | CycleRow]:
    """The valid rows between two places, read in pieces: a ledger of years is not held in memory."""
    held = b""
    while start < end:
        piece = spans.read_span(ledger, start, min(end, start + _PIECE))
        if not piece:
            break
        start += len(piece)
        *lines, held = (held + piece).split(b"\n")
        yield from _decoded(lines)
    yield from _decoded([held])


def _decoded(lines: list[bytes]) -> Iterator[Counted | CycleRow]:
    """Rows as we write them by the short way; those of other writers, and damage, as everywhere else."""
    for line in lines:
        if not line:
            continue
        try:
            counted = _READ.decode(line.decode())
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            counted = None
        if counted is not None and counted.target and counted.timestamp and 0 <= counted.cycle < LARGEST_CYCLE:
            yield counted
        elif (row := decode(line)) is not None:
            yield row
