"""Changes of the work queue as a file: under its lock, one row at a time, by whoever holds the item's claim."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from agentops.core.errors import AoError
from agentops.host import files
from agentops.host.faults import fault
from agentops.records.queue import items, read, row_at, walk
from agentops.records.queue_rows import TOKEN, QueueItem, State, items_of

if TYPE_CHECKING:
    from agentops.records.queue_changes import Change


class NotBooked(AoError):
    """What became of an item of the work queue could not be written into it."""

    mend = "ao queue list --all   ·   ao queue consume REF"


class End(StrEnum):
    """What becomes of a claim."""

    CONSUME = "consume"
    RELEASE = "release"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: whose, under which token, and on what. `title` is the item's, should another tool drop our token."""

    token: str
    who: str
    title: str


Found = tuple[int, int, QueueItem]
"""The bytes of a row in the file, and the item in it."""


class QueueFile:
    """The queue at `path`. Nothing here waits longer than for another writer's single write."""

    def __init__(self, path: str) -> None:
        self.path = path

    def read(self) -> bytes:
        return read(self.path)

    def claim(self, ref: str, claim: Claim, at: str) -> bool:
        """Take the item that stands at `ref` under that title; False when it isn't there, or isn't free any more."""

        def find(data: bytes) -> Found | None:
            found = at_ref(data, ref)
            fits = found is not None and found[2].title == claim.title and found[2].state is State.AVAILABLE
            return found if fits else None

        from agentops.records import queue_changes as changes

        return self.change(find, changes.claim(claim.who, at, claim.token)) is not None

    def book(self, claim: Claim, end: End, at: str, evidence: str = "") -> None:
        """What became of a claim. Idempotent. Raises NotBooked where done work can't be written down as done."""
        from agentops.records import queue_changes as changes

        match end:
            case End.CONSUME:
                act = changes.consume(claim.who, at, evidence)
            case End.RELEASE:
                act = changes.release()
            case End.FAIL:
                act = changes.fail(at)
        fault("queue.book.before")
        self.change(lambda data: self._claimed(data, claim, end), act)

    def change(self, find: Callable[[bytes], Found | None], change: Change) -> QueueItem | None:
        """Change the item that `find` finds in the file as it is under the lock; the item as it was, None when it found none."""
        from agentops.records import queue_changes as changes

        seen: list[QueueItem] = []

        def edit(data: bytes) -> bytes | None:
            found = find(data)
            if found is None:
                return None
            start, end, item = found
            try:
                row = changes.changed(data[start:end], item.number, change)
            except RecursionError:
                return None  # nested so deeply that it can't be written anew: nobody's to change
            seen.append(item)
            return data[:start] + row + data[end:]

        try:
            files.rewrite(self.path, edit)
        except FileNotFoundError:
            return None
        return seen[0] if seen else None

    def append(self, row: Mapping[str, Any]) -> None:
        """Add one row at the end, creating file and folders."""
        files.ensure_folder(os.path.dirname(os.path.abspath(self.path)), mode=0o755)
        files.append_line(self.path, msgspec.json.encode(row), mode=0o644)

    def _claimed(self, data: bytes, claim: Claim, end: End) -> Found | None:
        """The item of a claim. None when nothing is left to write."""
        found = by_token(data, claim.token)
        if found is None:
            found = _best(data, claim)
            if found is None:
                return None  # someone removed the row: there is nothing to book it in
        state, mine = found[2].state, found[2].text(TOKEN) in ("", claim.token) and found[2].text("claimed_by") == claim.who
        if state is State.CONSUMED:
            return None
        if state is State.IN_PROGRESS and not mine:
            if end is End.CONSUME:
                raise NotBooked(f"`{claim.title}` is done, and {found[2].text('claimed_by') or 'someone else'} has claimed it")
            return None
        return found if state is State.IN_PROGRESS or end is End.CONSUME else None


def at_ref(data: bytes, ref: str) -> Found | None:
    """The item at `LINE.NUMBER`."""
    line, _, number = ref.partition(".")
    row = row_at(data, int(line)) if line.isdecimal() and number.isdecimal() else None
    if row is None or row.row is None:
        return None
    return _in_row(data, row.start, row.end, row.line, lambda item: item.number == int(number))


def by_token(data: bytes, token: str) -> Found | None:
    """The item that carries this token; found by its bytes, without reading the other rows."""
    at, mark = 0, token.encode()
    while (at := data.find(mark, at)) >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        end = len(data) if end < 0 else end
        end -= end > start and data[end - 1] == 13
        start += 3 if start == 0 and data.startswith(b"\xef\xbb\xbf") else 0
        found = _in_row(data, start, end, data.count(b"\n", 0, start) + 1, lambda item: item.text(TOKEN) == token)
        if found is not None:
            return found
        at = end
    return None


def _in_row(data: bytes, start: int, end: int, line: int, fits: Callable[[QueueItem], bool]) -> Found | None:
    return next(((start, end, item) for item in items_of(data[start:end], line) if fits(item)), None)


def _best(data: bytes, claim: Claim) -> Found | None:
    """Without a token, the item of that title that most likely is meant: claimed by us, else free, else any."""
    found: list[Found] = []
    for row in walk(data):
        if row.row is not None and any((one.title or "").strip() == claim.title for one in row.row.work()):
            inside = items_of(data[row.start : row.end], row.line)
            found += [(row.start, row.end, item) for item in inside if item.title == claim.title]
    order = {True: 0, False: 2}
    return min(
        found,
        key=lambda one: (order[one[2].text("claimed_by") == claim.who], one[2].state is not State.AVAILABLE),
        default=None,
    )


def left_over(data: bytes, home: str) -> Iterable[QueueItem]:
    """Items that runs of this repository claimed and never booked."""
    if f'"{TOKEN}":"{home}:'.encode() not in data:
        return ()
    return [one for one in items(data) if one.state is State.IN_PROGRESS and one.text(TOKEN).startswith(f"{home}:")]
