"""The work queue during a cycle: rows that the cycle appended stay, other rows keep their lifecycle (evolve.md 5.1).

The queue is shared: our own claim is written while the cycle runs, other tools append to it, a person releases an item. So it
is no part of a cycle's effect; it is compared by itself, row by row.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

from agentops.evolve.way import clear_the_way, in_the_way
from agentops.host import files
from agentops.host.entries import make_link
from agentops.records.queue import NEXT_WORK, items, read
from agentops.records.queue_rows import digest


class Records(Protocol):
    """The guard of our other records."""

    def remember(self) -> None: ...

    def make_way(self) -> None: ...

    def put_back(self) -> dict[str, str]: ...


class QueueGuard:
    """A guard that also keeps the queue below `top`. `own_edits`: digests of rows that a person changed through `ao queue`
    meanwhile.
    """

    def __init__(self, inner: Records, top: str, own_edits: Callable[[], frozenset[str]] = frozenset) -> None:
        self._inner = inner
        self._top = top
        self._path = os.path.join(top, NEXT_WORK)
        self._own_edits = own_edits
        self._before: bytes | None = None
        self._link: str | None = None
        self.new_items = 0

    def remember(self) -> None:
        self._inner.remember()
        self._before, self._link = _read(self._path), _link(self._path)
        self.new_items = 0

    def make_way(self, queue: bytes | None) -> None:
        self._inner.make_way()
        self._before, self._link = queue, None
        if queue is not None:
            self._clear()

    def put_back(self) -> dict[str, str]:
        return {**self._inner.put_back(), **self.put_rows_back()}

    def put_rows_back(self) -> dict[str, str]:
        before = self._before
        if before is None:
            return {}
        done = {NEXT_WORK: "what stood there was moved aside"} if self._clear() else {}
        now = _read(self._path)
        if now == before:
            return done
        kept = with_new_rows(before, now or b"", self._own_edits())
        if kept != now:
            _write(self._path, lambda data: with_new_rows(before, data, self._own_edits()), kept)
            done[NEXT_WORK] = "rows of others were put back"
        self.new_items = sum(1 for _ in items(kept)) - sum(1 for _ in items(before))
        return done

    def _clear(self) -> bool:
        """The queue is where it was: rows are written through a person's own link and through no other. A cycle that
        linked it to a file elsewhere once had that file overwritten by us.
        """
        if _link(self._path) == self._link and (self._link is not None or not any(in_the_way(self._top, NEXT_WORK))):
            return False
        if self._link is not None and os.path.isfile(self._path) and not os.path.islink(self._path):
            files.remove(self._path)  # its rows are in `post`; the person's link says where they belong
        moved = clear_the_way(self._top, NEXT_WORK)
        if self._link is not None:
            make_link(self._link, self._path)
        return moved


def with_new_rows(before: bytes, now: bytes, allowed: frozenset[str]) -> bytes:
    """The old lines as they were, or as a person changed them meanwhile, then every line that came after them."""
    if now.startswith(before):
        return now
    old, new = before.splitlines(keepends=True), now.splitlines(keepends=True)
    kept = [there if digest(there) in allowed else was for was, there in zip(old, new, strict=False)]
    kept += old[len(new) :]
    rows = new[len(old) :]
    if kept and rows and not kept[-1].endswith(b"\n"):
        kept[-1] += b"\n"
    return b"".join([*kept, *rows])


def _read(path: str) -> bytes | None:
    try:
        return read(path)
    except OSError:
        return None  # a folder or unreadable file in its place: nothing that we could compare


def _link(path: str) -> str | None:
    """Where a link leads to; None for what is no link."""
    try:
        return os.readlink(path)
    except OSError:
        return None


def _write(path: str, edit: Callable[[bytes], bytes], whole: bytes) -> None:
    try:
        files.rewrite(path, edit)
    except FileNotFoundError:
        files.ensure_folder(os.path.dirname(path), 0o755)
        files.write_atomic(path, whole, mode=0o644)
