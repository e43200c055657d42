"""Events as facts to look at: the end of `events.jsonl`, and a follower that survives rotation."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import msgspec

from agentops.core import wire
from agentops.core.events import Event
from agentops.host import files
from agentops.records.times import wall_of

TAIL_BYTES = 512 * 1024
"""Some thousand events: a night's worth of cycles, read in a few milliseconds at any size of the file."""

_NAMES = frozenset(str(one) for one in Event)
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Happened:
    """One event. `at`: seconds since the epoch; `facts`: whatever else stood in the line."""

    at: float
    event: Event
    run: str
    facts: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str) -> int | None:
        """A fact that is a whole number."""
        value = self.facts.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def seconds(self, name: str = "seconds") -> float | None:
        """A fact that is a number."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def text(self, name: str) -> str:
        """A fact as text; empty when it is missing or null."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else "" if value is None else str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A fact that is a list of texts."""
        value = self.facts.get(name)
        return tuple(str(one) for one in value) if isinstance(value, list) else ()


def decode(line: bytes) -> Happened | None:
    """The event of a line; None for a torn or foreign one: a view shows what it can read."""
    try:
        found = wire.parse(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    at, name, run = wall_of(str(found.pop("at", ""))), found.pop("event", ""), found.pop("run", "")
    if at is None or name not in _NAMES or not isinstance(run, str):
        return None
    return Happened(at, Event(name), run, found)


def tail(path: str, limit_bytes: int = TAIL_BYTES) -> tuple[Happened, ...]:
    """The last events, oldest first; the file before a rotation is read too when this one is still short."""
    held = _tail_of(path, limit_bytes)
    if len(held) < limit_bytes // 8:
        held = _tail_of(f"{path}.1", limit_bytes - len(held)) + held
    return tuple(seen for line in held.split(b"\n") if line and (seen := decode(line)) is not None)


def _tail_of(path: str, limit_bytes: int) -> bytes:
    try:
        held = files.read_tail(path, limit_bytes)
    except OSError:
        return b""
    return held if held.endswith(b"\n") or not held else held + b"\n"


class Follower:
    """Complete lines that are appended to a file from now on; a rotated or truncated one is read on from its new start.

    `from_start`: begin with what is there already.
    """

    def __init__(self, path: str, *, from_start: bool = False) -> None:
        self.path = path
        self._inode, self._offset = self._now() if not from_start else (self._now()[0], 0)
        self._held = b""

    def more(self) -> list[bytes]:
        """The lines that came since the last look, at most about 1 MiB of them; never waits, never raises."""
        try:
            with open(self.path, "rb") as file:
                facts = os.fstat(file.fileno())
                if (facts.st_ino, facts.st_size >= self._offset) != (self._inode, True):
                    self._inode, self._offset, self._held = facts.st_ino, 0, b""
                file.seek(self._offset)
                read = file.read(_PIECE)
        except OSError:
            return []
        self._offset += len(read)
        *lines, self._held = (self._held + read).split(b"\n")
        if len(self._held) > _PIECE:
            # a line without an end: show what there is instead of keeping it for ever
            lines, self._held = [*lines, self._held], b""
        return lines

    def _now(self) -> tuple[int, int]:
        try:
            facts = os.stat(self.path)
        except OSError:
            return 0, 0
        return facts.st_ino, facts.st_size
