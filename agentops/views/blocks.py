"""What a view is made of: lines of text and tables, not yet drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))
_CONTROLS[9] = None


class Tone(StrEnum):
    """What a row of a table means to the eye."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    DIM = "dim"


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with a head. `right`: numbers of the columns whose cells end flush; `tones`: one for each row, or none."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    tones: tuple[Tone, ...] = ()


Block = str | Table


def printable(text: str) -> str:
    """Text that does nothing to a terminal but show: no escape sequences, no control characters.

    Names of goals and words of agents come from files that anyone may have written.
    """
    if text.isprintable():
        return text
    return _ESCAPES.sub("", text.replace("\t", "    ")).translate(_CONTROLS)


def clipped(text: str, limit: int) -> str:
    """The first line of a text, at most `limit` characters."""
    first = text.strip().split("\n", 1)[0].strip()
    return first if len(first) <= limit else first[: limit - 1].rstrip() + "…"


def plain(table: Table) -> list[str]:
    """The table as lines, columns two spaces apart, nothing drawn: for pipes and logs."""
    cells = [tuple(printable(cell) for cell in row) for row in (table.head, *table.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.head))]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if column in table.right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return lines
