"""A journal in memory; lines go through the real codec and the real fold."""

from __future__ import annotations

import random
from collections.abc import Callable

from agentops.core.journals import InFlight, Step
from agentops.core.judging import ReasonKind, Result
from agentops.core.wire import dump, parse
from agentops.core.work import WorkItem
from agentops.evolve.journal_lines import JournalState, add_up
from agentops.evolve.outcomes import IDLE
from tests.twins.time import VirtualClock


class Crash(BaseException):
    """The supervisor is gone, in the middle of whatever it did."""


class MemoryJournal:
    """`crashes`: how likely a note is the last thing that the supervisor did; before or after it was written."""

    def __init__(self, clock: VirtualClock, rng: random.Random, crashes: float = 0.0) -> None:
        self._clock, self._rng, self.crashes = clock, rng, crashes
        self.lines: list[bytes] = []
        self.run = ""
        self.agent = "twin"
        self.worked: Callable[[], float] = lambda: 0.0
        self.notes = 0
        self._last = 0

    def note(self, step: Step, *, durable: bool = True, **facts: object) -> None:
        self.notes += 1
        dies = self._rng.random() < self.crashes
        if dies and self._rng.random() < 0.5:
            raise Crash(f"before {step}")
        line = {"step": step, "wall": self._clock.now().wall, "run": self.run, "worked": self.worked(), **facts}
        self.lines.append(dump(line))
        if step in (Step.VERDICT, Step.CLEARED):
            self._last = max(self._last, int(str(facts["cycle"])))
        if dies:
            raise Crash(f"after {step}")

    def beat(self) -> None:
        self.lines.append(dump({"step": Step.BEAT, "wall": self._clock.now().wall, "run": self.run}))

    def opened(self, cycle: int, item: WorkItem) -> None:
        self.note(Step.OPENED, cycle=cycle, item=item, agent=self.agent)

    def idle(self, cycle: int) -> None:
        self.note(Step.CLEARED, cycle=cycle, target=IDLE, result=Result.UNCHANGED, reason=ReasonKind.IDLE)

    def last_cycle(self) -> int:
        return self._last

    def read(self) -> JournalState:
        return add_up(parse(line) for line in self.lines)

    def open_cycle(self) -> InFlight | None:
        return self.read().open

    def begin_session(self, session: str, *, head: str, last_cycle: int) -> None:
        self.lines.clear()
        self.note(Step.SESSION, session=session, head=head, last_cycle=last_cycle)
