"""Finished work whose end could not be written into its source: kept, tried again without a new run, and reported first.

An unbooked success that is simply forgotten is run again, and paid again (agentops Q21).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from agentops.core import wire
from agentops.core.errors import AoError
from agentops.core.judging import Verdict
from agentops.core.work import WorkItem
from agentops.host import files
from agentops.host.disk import is_full
from agentops.work.ladder import Ladder

_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Owed:
    """One end that is still to be booked, and why it is."""

    cycle: int
    item: WorkItem
    token: str
    verdict: Verdict
    why: str


class Unbooked:
    """`path`: our file, over sessions; without one they are kept for this start only."""

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._owed = _read(path)

    @property
    def owed(self) -> tuple[Owed, ...]:
        return self._owed

    def keys(self) -> dict[str, str]:
        """Targets that must not be worked on again, with the reason."""
        return {one.item.key: f"done in cycle {one.cycle}, which could not be booked: {one.why}" for one in self._owed}

    def add(self, owed: Owed) -> None:
        """Remember one. The same claim is owed once."""
        self._owed = (*(one for one in self._owed if one.token != owed.token), owed)
        self._write()

    def retry(self, ladder: Ladder) -> None:
        """Book what can be booked by now. A source that is no longer there owes nothing."""
        left = tuple(one for one in self._owed if (source := ladder.by_name(one.item.source)) and failure(source.settle, one))
        if left != self._owed:
            self._owed = left
            self._write()

    def _write(self) -> None:
        if self._path:
            files.write_atomic(self._path, wire.dump(self._owed))


def failure(settle: Callable[[WorkItem, str, Verdict], None], owed: Owed) -> str:
    """Book one; why it failed, empty when it did not. A full disk is no failure of the booking and goes through."""
    try:
        settle(owed.item, owed.token, owed.verdict)
    except AoError as error:
        return str(error)
    except OSError as error:
        if is_full(error):
            raise
        return f"{error.filename or ''}: {error.strerror or error}"
    return ""


def _read(path: str) -> tuple[Owed, ...]:
    if not path:
        return ()
    try:
        return msgspec.json.decode(files.read_bounded(path, _LARGEST), type=tuple[Owed, ...])
    except (OSError, msgspec.DecodeError, ValueError):
        return ()
