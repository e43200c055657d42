"""The bytes of a goals file as lines with their line breaks, and back to the byte. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_LINE_END = re.compile(r"(\r\n|\n|\r)")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Pieces:
    """`lines` are texts and their line breaks (the last one's is empty); `ending` is what new lines get."""

    bom: bool
    lines: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The text without the byte order mark."""
        return "".join(text + end for text, end in self.lines)

    @property
    def ending(self) -> str:
        """The line break that most lines have."""
        ends = Counter(end for _, end in self.lines if end)
        return ends.most_common(1)[0][0] if ends else "\n"

    @property
    def raw(self) -> bytes:
        """The bytes of the file."""
        return (_BOM if self.bom else b"") + self.text.encode()

    def inserted(self, at: int, new: list[str]) -> Pieces:
        """With new lines before the line of index `at`; all that was there keeps its bytes."""
        before, after = list(self.lines[:at]), list(self.lines[at:])
        if before and not before[-1][1]:  # the last line of the file had no line break
            before[-1] = (before[-1][0], self.ending)
        return Pieces(self.bom, (*before, *((text, self.ending) for text in new), *after))

    def without(self, start: int, end: int) -> Pieces:
        """Without the lines from `start` to before `end`."""
        return Pieces(self.bom, self.lines[:start] + self.lines[end:])

    def replaced(self, at: int, text: str) -> Pieces:
        """With another text on one line."""
        return Pieces(self.bom, (*self.lines[:at], (text, self.lines[at][1]), *self.lines[at + 1 :]))


def split(raw: bytes) -> Pieces:
    """The pieces of a file that was read as UTF-8 before."""
    parts = _LINE_END.split(raw.removeprefix(_BOM).decode())
    return Pieces(raw.startswith(_BOM), tuple(zip(parts[::2], (*parts[1::2], ""), strict=True)))
