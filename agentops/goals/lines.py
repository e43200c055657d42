"""Lines of a Markdown goals file: which of them are read, which are headings, where a section ends. Pure.

Code fences and HTML comments are not read: a row or heading that is shown or commented out must not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)")
_LINE_END = re.compile(r"\r\n|\n|\r")

Line = tuple[int, str]
"""A line of the file with its number, from 1."""


class Kind(StrEnum):
    """What a line is part of."""

    TEXT = "text"
    CODE = "code"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a goals file that a person should see. `line` is 0 when it concerns the whole file.

    `fatal`: what stands there is not read, and nothing of it is run; otherwise it is read, with the default said here.
    `wrong`: it is read, and still an error of the file (upstream refuses the whole file for it).
    """

    line: int
    text: str
    fatal: bool
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class MarkdownLine:
    """One line without its line break; `number` from 1."""

    number: int
    text: str
    kind: Kind = Kind.TEXT

    @property
    def shown(self) -> Line:
        """Number and text; a line that is not read is kept as an empty one, so that blocks end there."""
        return self.number, self.text if self.kind is Kind.TEXT else ""

    @property
    def heading(self) -> tuple[int, str] | None:
        """Level and title of a `#` heading; a closing run of `#` is no part of the title."""
        return heading(self.text) if self.kind is Kind.TEXT else None


def read_lines(text: str) -> tuple[tuple[MarkdownLine, ...], Problem | None]:
    """The lines of a file, whatever their line breaks; the problem of a fence or comment that never ends."""
    lines: list[MarkdownLine] = []
    fence = ""
    comment = False
    opened = 0
    for number, line in enumerate(_LINE_END.split(text), start=1):
        kind = Kind.TEXT
        if fence:
            kind = Kind.CODE
            closing = _FENCE.fullmatch(line)
            if closing and closing[1].startswith(fence) and not closing[2].strip():
                fence = ""
        elif comment:
            kind = Kind.COMMENT
            comment = "-->" not in line
        elif opening := _FENCE.fullmatch(line):
            kind, fence, opened = Kind.CODE, opening[1], number
        elif line.lstrip().startswith("<!--"):
            kind, comment, opened = Kind.COMMENT, "-->" not in line, number
        lines.append(MarkdownLine(number, line, kind))
    if fence or comment:
        what = "code fence" if fence else "comment"
        return tuple(lines), Problem(opened, f"a {what} begins here and never ends; nothing below is read", fatal=True)
    return tuple(lines), None


def heading(text: str) -> tuple[int, str] | None:
    """Level and title of a `#` heading; None for any other line."""
    found = _HEADING.match(text)
    if found is None:
        return None
    title = text[found.end() :].strip()
    open_end = title.rstrip("#")
    closed = not open_end or open_end[-1] in " \t"
    return len(found[1]), (open_end if closed else title).strip()


@dataclass(frozen=True, slots=True)
class Section:
    """A `## ` section: the index of its heading in the file's lines, and of the first line that is no longer in it."""

    start: int
    end: int

    def body(self, lines: Sequence[MarkdownLine]) -> Sequence[MarkdownLine]:
        """The section's lines without its heading."""
        return lines[self.start + 1 : self.end]


def sections(lines: Sequence[MarkdownLine], title: str) -> Iterator[Section]:
    """The `## ` sections of that title (in any case), in the order of the file. A section ends at the next `#` or `##`."""
    marks = [(at, *found) for at, line in enumerate(lines) if (found := line.heading) is not None]
    for at, level, name in marks:
        if level == 2 and name.casefold() == title:
            yield Section(at, next((other for other, above, _ in marks if other > at and above <= 2), len(lines)))
