"""Cells of a Markdown table row: where a pipe divides, what a code span holds, what a word means.

A pipe divides cells unless a backslash stands before it or it lies within a code span. Markdown proper divides inside
code spans too, which turns `a | b` into half a command; here a check is never run in halves.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_TICKS = re.compile(r"`+")
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r":?-+:?")
_WEIGHT = re.compile(r"[+-]?[0-9]{1,9}")
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]+)?) ?([smh]?)")
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_NAME = re.compile(r"(?:[^\s,{}]|\{[^{}]*\})+")
_TAG_END = re.compile(r"[,;]")
_YES = frozenset({"yes", "y", "true", "x", "✓", "1", "on"})
_NO = frozenset({"", "no", "n", "false", "0", "off", "-", "–", "—"})
_NOTHING = frozenset({"", "-", "–", "—"})


class BadCell(ValueError):
    """A cell that cannot be understood. The text says why, for the problem of its line."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a cell. `text`: what it means; `raw`: as it stands; `code`: it is a code span."""

    text: str
    raw: str
    code: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands between two pipes."""

    spans: tuple[Span, ...] = ()

    @property
    def text(self) -> str:
        """The cell as prose; code spans keep their backticks."""
        return "".join(span.raw if span.code else span.text for span in self.spans).strip()

    @property
    def code(self) -> tuple[str, ...]:
        return tuple(span.text for span in self.spans if span.code)

    @property
    def prose(self) -> str:
        """What stands outside code spans."""
        return "".join(span.text for span in self.spans if not span.code).strip()


@dataclass(frozen=True, slots=True)
class Row:
    """A line divided into cells. `closed`: it ends with a pipe. `joined`: a code span holds a pipe without a backslash."""

    cells: tuple[Cell, ...]
    closed: bool
    joined: bool

    @property
    def separator(self) -> bool:
        return bool(self.cells) and all(_SEPARATOR.fullmatch(cell.text) for cell in self.cells)

    @property
    def blank(self) -> bool:
        return all(not cell.text for cell in self.cells)


def split(line: str) -> Row:
    """Divide a line that begins with a pipe."""
    text = line.strip().removeprefix("|")
    cells: list[Cell] = []
    spans: list[Span] = []
    plain: list[str] = []
    closed = joined = False
    at = 0

    def end_of_prose() -> None:
        if plain:
            spans.append(Span("".join(plain), "", code=False))
            plain.clear()

    def end_of_cell() -> None:
        end_of_prose()
        cells.append(Cell(tuple(spans)))
        spans.clear()

    while at < len(text):
        closed = text[at] == "|"
        if closed:
            end_of_cell()
            at += 1
        elif text[at] == "\\" and text[at + 1 : at + 2] in ("|", "`"):
            plain.append(text[at + 1])
            at += 2
        elif text[at] == "`":
            end = _end_of_code(text, at)
            if end is None:  # a run of backticks that nothing closes is prose
                end = at + _run(text, at)
                plain.append(text[at:end])
            else:
                end_of_prose()
                inside = text[at + _run(text, at) : end - _run(text, at)]
                joined = joined or _BARE_PIPE.search(inside) is not None
                spans.append(Span(inside.replace("\\|", "|").strip(), text[at:end].replace("\\|", "|"), code=True))
            at = end
        else:
            plain.append(text[at])
            at += 1
    if not closed:
        end_of_cell()
    return Row(tuple(cells), closed, joined)


def _run(text: str, at: int) -> int:
    """How many backticks stand here."""
    found = _TICKS.match(text, at)
    return len(found[0]) if found else 0


def _end_of_code(text: str, at: int) -> int | None:
    """Where the code span that begins here ends: after the next run of exactly as many backticks."""
    opening = _run(text, at)
    seek = at + opening
    while (seek := text.find("`", seek)) != -1:
        closing = _run(text, seek)
        if closing == opening:
            return seek + closing
        seek += closing
    return None


def command(cell: Cell) -> str:
    """The one command of a cell: its only code span, or its text when there is no backtick at all."""
    prose, code = cell.prose, cell.code
    if len(code) == 1 and not prose and code[0]:
        return code[0]
    if len(code) > 1:
        raise BadCell("holds more than one code span; one is the command")
    if code and prose:
        raise BadCell("holds text beside its code span; the code span must be the whole command")
    if "`" in prose:
        raise BadCell("holds a backtick that nothing closes")
    if not prose:
        raise BadCell("is empty")
    return prose


def optional_command(cell: Cell) -> str | None:
    """Like `command`; None for an empty cell or a dash."""
    return None if cell.text in _NOTHING else command(cell)


def weight(cell: Cell) -> int | None:
    """The whole number of a cell; None when there is none."""
    return int(cell.text) if _WEIGHT.fullmatch(cell.text) else None


def yes_or_no(cell: Cell) -> bool:
    """A cell that says yes or no in one of the ways in which people write it; an empty one says no."""
    word = cell.text.casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise BadCell(f"says `{cell.text}` where yes or no is meant")


def seconds(cell: Cell) -> float | None:
    """A duration such as `90`, `90s`, `5m`, `1.5h`, in seconds; None for an empty cell or a dash."""
    if cell.text in _NOTHING:
        return None
    found = _DURATION.fullmatch(cell.text.casefold())
    length = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not length > 0 or not math.isfinite(length):
        raise BadCell(f"says `{cell.text}` where a duration such as `90s` or `5m` is meant")
    return length


def names(cell: Cell) -> tuple[str, ...]:
    """Paths or globs: code spans, or words parted by commas or spaces (not within `{…}`)."""
    if cell.text in _NOTHING:
        return ()
    if cell.code:
        if cell.prose.strip(", \t") or not all(cell.code):
            raise BadCell("mixes code spans and text in a list of paths")
        return cell.code
    if _NAME.sub("", cell.prose).strip(", \t") or "`" in cell.prose:
        raise BadCell(f"says `{cell.text}` where a list of paths is meant")
    return tuple(_NAME.findall(cell.prose))


def tags(cell: Cell) -> tuple[str, ...]:
    """Words parted by commas or semicolons, in small letters, as upstream's newer versions have them."""
    words = cell.code or _TAG_END.split(cell.text)
    return tuple(dict.fromkeys(word for one in words if (word := one.strip().casefold()) and word not in _NOTHING))


def as_code(text: str) -> str:
    """A code span that `split` reads back as `text` (one line, no blanks at its ends), its pipes escaped for every reader."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def as_prose(text: str) -> str:
    """Text that `split` reads back as `text` (one line, no blanks at its ends)."""
    return text.replace("|", "\\|").replace("`", "\\`")
