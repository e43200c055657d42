"""Words for people on a stream that may die: a closed terminal never ends a run (loop-peers C2-4)."""

from __future__ import annotations

import os
import sys
from typing import TextIO


class Voice:
    """Writes lines to a stream until it breaks, then stays quiet. What its encoding cannot say is replaced, not raised."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self.quiet = False

    def say(self, text: str = "", end: str = "\n") -> None:
        if self.quiet:
            return
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        printable = (text + end).encode(encoding, "replace").decode(encoding)
        try:
            self._stream.write(printable)
            self._stream.flush()
        except (OSError, ValueError):  # broken pipe, dead terminal, closed stream
            self.quiet = True
            self._give_up()

    def _give_up(self) -> None:
        """Point the descriptor at nothing, so that the interpreter's last flush does not fail either."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            return  # a stream without a descriptor has nothing to flush
