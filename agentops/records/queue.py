"""`.agents/rpi/next-work.jsonl`, the work queue: read whole, row by row, and nothing in it is ever silently lost.

A row is one line. Hand-edited files also hold rows that were printed over several lines; those are read too. What is no row at
all (a torn or foreign line) is handed out as such, so that whoever reads can say so.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from agentops.core.errors import UnusableFile
from agentops.host import files
from agentops.records.queue_rows import LightRow, QueueItem, items_of, light

NEXT_WORK = ".agents/rpi/next-work.jsonl"
"""Where the queue lies below a repository's top."""
LARGEST = 512 * 1024 * 1024
_CR = 13
_WIDEST_ROW = 1024 * 1024
"""How far a row that is printed over several lines may reach."""


class Row(NamedTuple):
    """One row, or a line that is none: `row` is None then. `line` counts from 1; the bytes are `data[start:end]`."""

    line: int
    start: int
    end: int
    row: LightRow | None


def read(path: str) -> bytes:
    """The whole file; a missing one is an empty queue. Raises UnusableFile for one that is too large, OSError as it comes."""
    try:
        data = files.read_bounded(path, LARGEST + 1)
    except FileNotFoundError:
        return b""
    if len(data) > LARGEST:
        raise UnusableFile(f"{path} is larger than {LARGEST >> 20} MiB", mend=f"ls -l {path}   (move consumed rows elsewhere)")
    return data


def walk(data: bytes) -> Iterator[Row]:
    """Rows in order. Blank lines are passed over; a byte order mark and carriage returns are no part of a row."""
    at = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    line, size = 0, len(data)
    while at < size:
        end = data.find(b"\n", at)
        if end < 0:
            end = size
        line += 1
        found = light(data[at:end])
        if found is None:
            stripped = data[at:end].strip()
            if stripped:
                whole = _over_several_lines(data, at, end) if stripped.startswith(b"{") else end
                found = light(data[at:whole]) if whole > end else None
                yield Row(line, at, whole if found else _without_cr(data, at, end), found)
                if found is not None:
                    line += data.count(b"\n", at, whole)
                    end = whole
        else:
            yield Row(line, at, end - 1 if data[end - 1] == _CR else end, found)
        at = end + 1


def items(data: bytes) -> Iterator[QueueItem]:
    """Every item of every row, with all its fields."""
    for row in walk(data):
        if row.row is not None:
            yield from items_of(data[row.start : row.end], row.line)


def row_at(data: bytes, line: int) -> Row | None:
    """The row that begins in this line."""
    return next((row for row in walk(data) if row.line == line), None)


def _without_cr(data: bytes, start: int, end: int) -> int:
    return end - 1 if end > start and data[end - 1] == _CR else end


def _over_several_lines(data: bytes, start: int, end: int) -> int:
    """Where the JSON value that begins at `start` ends, when that is at the end of a later line; else `end`."""
    import json

    text = data[start : start + _WIDEST_ROW].decode("utf-8", "surrogateescape")
    begin = len(text) - len(text.lstrip())
    try:
        _, stop = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return end
    whole = start + len(text[:stop].encode("utf-8", "surrogateescape"))
    following = data.find(b"\n", whole)
    rest = data[whole : following if following >= 0 else len(data)]
    return whole if whole > end and not rest.strip() else end
