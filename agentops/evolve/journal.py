"""The journal file: `$GIT_COMMON_DIR/ao/journal.jsonl`, appended, on the disk before the next act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from agentops.core.clock import Clock
from agentops.core.journals import InFlight, Step
from agentops.core.judging import ReasonKind, Result
from agentops.core.wire import legible, parse
from agentops.core.work import WorkItem
from agentops.evolve.journal_lines import JournalState, add_up
from agentops.evolve.outcomes import IDLE
from agentops.host.faults import fault
from agentops.host.files import append_line, read_bounded, write_atomic

BEAT_SECONDS = 4.0
"""Less than the 5 s that recovery allows between the last sign of life and the last change of a cycle."""
ROTATE_BYTES = 4 * 1024 * 1024
MOST_BYTES = 256 * 1024 * 1024


class FileJournal:
    """One writer, the holder of the lease. Lines that can't be read are passed over and counted, never fatal."""

    def __init__(self, path: str, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._beaten = 0.0
        self._last: int | None = None
        self.run = ""
        self.agent = ""
        self.worked: Callable[[], float] = lambda: 0.0

    def note(self, step: Step, *, durable: bool = True, **facts: object) -> None:
        now = self._clock.now()
        line = {"step": step, "wall": round(now.wall, 3), "run": self.run, "worked": round(self.worked(), 3), **facts}
        fault(f"journal.{step}.before")
        append_line(self._path, legible(line), durable=durable)
        fault(f"journal.{step}.after")
        self._beaten = now.mono
        if step in (Step.VERDICT, Step.CLEARED):
            self._last = max(self.last_cycle(), int(str(facts["cycle"])))

    def beat(self) -> None:
        """A sign of life, at most every few seconds. Not synced: after a power cut an earlier one is the safe side."""
        now = self._clock.now()
        if now.mono - self._beaten >= BEAT_SECONDS:
            self.note(Step.BEAT, durable=False)

    def opened(self, cycle: int, item: WorkItem) -> None:
        """The first line of a cycle."""
        self.note(Step.OPENED, cycle=cycle, item=item, agent=self.agent)

    def idle(self, cycle: int) -> None:
        """An empty pass has its number and its outcome, and nothing that could be cut off."""
        self.note(Step.CLEARED, cycle=cycle, target=IDLE, result=Result.UNCHANGED, reason=ReasonKind.IDLE)

    def last_cycle(self) -> int:
        """The highest number that was ever decided on; read once, then kept in mind."""
        if self._last is None:
            self._last = self.read().last_cycle
        return self._last

    def read(self) -> JournalState:
        return read_state(self._path)

    def open_cycle(self) -> InFlight | None:
        return self.read().open

    def begin_session(self, session: str, *, head: str, last_cycle: int) -> None:
        """The first line of a session. A long journal of an ended one moves aside, unless it still asks something."""
        raw = _raw(self._path)
        if len(raw) > ROTATE_BYTES and self.open_cycle() is None:
            write_atomic(f"{self._path}.1", raw)
            write_atomic(self._path, b"")
        self.note(Step.SESSION, session=session, head=head, last_cycle=last_cycle)


def read_state(path: str) -> JournalState:
    """What a journal file adds up to; a missing one to nothing."""
    return add_up(_parsed(line) for line in _raw(path).split(b"\n") if line.strip())


def _raw(path: str) -> bytes:
    try:
        return read_bounded(path, MOST_BYTES)
    except FileNotFoundError:
        return b""


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = parse(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) else None
