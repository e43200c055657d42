"""What the command says, on streams that may be closed, full, or unable to spell."""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO, cast

from agentops.views.blocks import Block, plain, printable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

_SPELLED = str.maketrans(
    {"→": "->", "·": "-", "–": "-", "—": "--", "…": "...", "’": "'", "‘": "'", "“": '"', "”": '"', "×": "x", "≥": ">=", "≤": "<="}
)
_GONE = frozenset({errno.EPIPE, errno.EIO, errno.EBADF})
"""The reader has left: nobody misses the rest, so it is no failure (loop-peers C2-4)."""


def _spell(problem: UnicodeError) -> tuple[str, int]:
    """A codec error handler: typographic signs become ASCII ones, a byte that was no UTF-8 shows as `\\xNN`, the rest as `?`."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    bad = problem.object[problem.start : problem.end]
    out = []
    for letter in bad:
        if 0xDC80 <= ord(letter) <= 0xDCFF:
            out.append(f"\\x{ord(letter) - 0xDC00:02x}")
        else:
            spelled = letter.translate(_SPELLED)
            out.append(spelled if spelled.isascii() else "?")
    return "".join(out), problem.end


codecs.register_error("ao-spell", _spell)


class Patient(io.FileIO):
    """A standard stream that cannot hurt: a reader who left, a full disk or a closed terminal never raise.

    `lost` is the error that took output away from someone who still wanted it (a full disk, not a closed pipe).
    """

    lost: OSError | None = None
    dead: bool = False

    def write(self, data: Buffer) -> int:
        """Everything, also to a pipe that someone else made non-blocking; nothing once the reader has left."""
        size = memoryview(data).nbytes
        if self.dead:
            return size
        try:
            while (written := cast(int | None, super().write(data))) is None:
                select.select([], [self], [])
        except OSError as broken:
            self.dead = True
            if broken.errno not in _GONE:
                self.lost = broken
            return size
        return written


def prepare_streams() -> tuple[Patient, Patient]:
    """Give the process its three standard streams, and make the text ones patient and able to spell.

    A descriptor that the caller closed would be handed out to the next file that is opened, and what a child prints would
    end up in the ledger: it is filled with the null device first.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    made = []
    for name, fd in (("stdout", 1), ("stderr", 2)):
        old = getattr(sys, name)
        raw = Patient(fd, "w", closefd=False)
        encoding = old.encoding if old is not None else "utf-8"
        setattr(
            sys,
            name,
            io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors="ao-spell", line_buffering=raw.isatty()),
        )
        made.append(raw)
    return made[0], made[1]


class Voice:
    """One of the standard streams, as commands use it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def is_terminal(self) -> bool:
        """Whether a person watches."""
        return self._stream.isatty()

    def line(self, text: str = "") -> None:
        """One line of text, control characters removed, on its way at once."""
        self.write(printable(text) + "\n")

    def lines(self, texts: Iterable[str]) -> None:
        """Several lines."""
        for text in texts:
            self.line(text)

    def show(self, blocks: Iterable[Block]) -> None:
        """Text and tables: drawn for a terminal, plain columns for a pipe."""
        for block in blocks:
            if isinstance(block, str):
                self.line(block)
            elif self.is_terminal:
                from agentops.cli.drawing import draw

                draw(block, self._stream)
            else:
                self.lines(plain(block))

    def write(self, text: str) -> None:
        """Text as it is."""
        self._stream.write(text)
        self._stream.flush()


def standard_out() -> Voice:
    """The voice on stdout, as it is now."""
    return Voice(sys.stdout)


def standard_error() -> Voice:
    """The voice on stderr, as it is now."""
    return Voice(sys.stderr)
