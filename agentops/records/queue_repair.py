"""What is wrong with a work queue and how to mend it without losing a byte of meaning. Pure.

Mended are rows that were glued together when a line break got lost, rows printed over several lines, a missing last line
break, and claims that are too old to be anybody's. What can't be read stays where it is, and is named.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from agentops.records import queue_changes as changes
from agentops.records.queue import walk
from agentops.records.queue_rows import State, items_of, light
from agentops.records.times import wall_of

_ROW_BEGINS = re.compile(rb'\{\s*"')
_MOST_PIECES = 1000


@dataclass(frozen=True, slots=True)
class Repair:
    """`data`: the file mended. `done`: what that took, `left`: what nobody can mend but a person; each with its line."""

    data: bytes
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    changed: bool = False


def plan(data: bytes, now: float, stale_hours: float) -> Repair:
    """`now`: seconds since the epoch; claims older than `stale_hours` are released."""
    done: list[str] = []
    left: list[str] = []
    out: list[bytes] = []
    at = 0
    for row in walk(data):
        out.append(data[at : row.start])
        line, at = data[row.start : row.end], row.end
        if row.row is None:
            pieces = _pieces(line)
            good = sum(light(piece) is not None for piece in pieces)
            if good and len(pieces) > 1:
                done.append(f"line {row.line}: {good} rows that were glued together stand on lines of their own")
                line = b"\n".join(pieces)
            else:
                left.append(f"line {row.line}: it is no JSON object: {line[:60].decode('utf-8', 'replace')}")
        elif not row.row.work():
            if row.row.items is None:
                left.append(f"line {row.line}: there is no work item in it")
        else:
            if b"\n" in line:
                lines = line.count(b"\n") + 1
                done.append(f"line {row.line}: a row over {lines} lines becomes one")
                line = changes.encoded(json.loads(line))
            for item in items_of(line, row.line):
                age = _age(item.text("claimed_at"), now)
                if item.state is State.IN_PROGRESS and age is not None and age > stale_hours * 3600:
                    done.append(
                        f"{item.ref} {item.title[:60]}: claimed by {item.text('claimed_by')} {age / 3600:.0f} h ago, free again"
                    )
                    line = changes.changed(line, item.number, changes.release())
        out.append(line)
    out.append(data[at:])
    mended = b"".join(out)
    if mended and not mended.endswith(b"\n"):
        done.append("the last line gets its line break")
        mended += b"\n"
    return Repair(mended, tuple(done), tuple(left), mended != data)


def _pieces(line: bytes) -> list[bytes]:
    """A line cut into rows and what is none: at every place where a row may begin and one really does."""
    pieces: list[bytes] = []
    begin = 0
    text = line.strip()
    decoder = json.JSONDecoder()
    for found in _ROW_BEGINS.finditer(text):
        start = found.start()
        if start < begin or len(pieces) > _MOST_PIECES:
            continue
        rest = text[start:].decode("utf-8", "surrogateescape")
        try:
            _, stop = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            continue
        end = start + len(rest[:stop].encode("utf-8", "surrogateescape"))
        row = light(text[start:end])
        # An item inside a torn row looks like a flat row; only one that stands where a row ended is one.
        if row is None or not row.work() or (row.flat and text[begin:start].strip()):
            continue
        if text[begin:start].strip():
            pieces.append(text[begin:start])
        pieces.append(text[start:end])
        begin = end
    if text[begin:].strip():
        pieces.append(text[begin:])
    return pieces


def _age(at: str, now: float) -> float | None:
    then = wall_of(at) if at else None
    return now - then if then is not None else None
