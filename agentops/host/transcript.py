"""Everything an agent printed, in a file of our own, bounded: the first part and, in a ring of two files, the last."""

from __future__ import annotations

import os

from agentops.host.faults import fault

HEAD_BYTES = 16 * 1024 * 1024
"""What is kept from the beginning; as much again is kept from the end, in `<path>.tail` and `<path>.tail.1`."""


class Transcript:
    """One run's output, line by line, mode 0600. A full disk costs the transcript, never the run."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines = 0
        self._room = HEAD_BYTES
        self._fd: int | None = self._open(path)
        self._tail = False

    def write(self, line: bytes) -> None:
        """Append one line (its ending is added here)."""
        self.lines += 1
        if self._fd is None:
            return
        if self._room < len(line) and not self._turn():
            return
        try:
            fault("transcript.write.before")
            self._room -= os.write(self._fd, line + b"\n")
        except OSError:
            self.close()

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _turn(self) -> bool:
        """Go on in a fresh tail file; the one before it is kept, the one before that is not."""
        self.close()
        tail = f"{self.path}.tail"
        try:
            if self._tail:
                os.replace(tail, f"{tail}.1")
        except OSError:
            return False
        self._fd, self._tail, self._room = self._open(tail), True, HEAD_BYTES // 2
        return self._fd is not None

    @staticmethod
    def _open(path: str) -> int | None:
        try:
            fault("transcript.open.before")
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
