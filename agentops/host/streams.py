"""Output as it comes: bounded in memory, cut into lines, never decoded."""

from __future__ import annotations

from agentops.core.processes import OnLine

LINE_LIMIT = 8 * 1024 * 1024


class Ring:
    """The first `head` and the last `tail` bytes of a stream; what lies between is counted in `dropped`."""

    def __init__(self, head: int, tail: int) -> None:
        self._head_limit, self._tail_limit = head, tail
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = 0

    def feed(self, data: memoryview) -> None:
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        if len(data) >= self._tail_limit:
            self._dropped += len(self._tail) + len(data) - self._tail_limit
            self._tail = bytearray(data[len(data) - self._tail_limit :])
            return
        self._tail += data
        if len(self._tail) > 2 * self._tail_limit:  # trimmed now and then: one small read must not move a whole tail
            self._trim()

    @property
    def head(self) -> bytes:
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        self._trim()
        return bytes(self._tail)

    @property
    def dropped(self) -> int:
        self._trim()
        return self._dropped

    def _trim(self) -> None:
        excess = len(self._tail) - self._tail_limit
        if excess > 0:
            self._dropped += excess
            del self._tail[:excess]


class Lines:
    """Cuts a stream into lines for `on_line`: no line break, a final CR gone, a line over 8 MiB cut there and passed once.

    What the stream ends with without a line break is a line too (`end`): agents' last words often are.
    """

    def __init__(self, on_line: OnLine, limit: int = LINE_LIMIT) -> None:
        self._on_line, self._limit = on_line, limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False

    def feed(self, data: memoryview) -> None:
        first, *others = bytes(data).split(b"\n")
        self._add(first)
        if not others:
            return
        self._finish()
        on_line, limit = self._on_line, self._limit
        for line in others[:-1]:
            on_line((line[:-1] if line.endswith(b"\r") else line)[:limit])
        self._add(others[-1])

    def end(self) -> None:
        if self._parts:
            self._finish()

    def _add(self, part: bytes) -> None:
        if self._skipping or not part:
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limit:
            line = b"".join(self._parts)[: self._limit]
            self._parts, self._size, self._skipping = [], 0, True
            self._on_line(line)

    def _finish(self) -> None:
        if self._skipping:
            self._skipping = False
            return
        line = b"".join(self._parts)
        self._parts, self._size = [], 0
        self._on_line(line[:-1] if line.endswith(b"\r") else line)
