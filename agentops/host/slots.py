"""Whether one more run may start now: by a number, or by a rule that sees what the running ones need."""

from __future__ import annotations

from collections.abc import Mapping

from agentops.core.clock import Clock
from agentops.core.processes import Beside, Slots
from agentops.host.running import Running
from agentops.host.trees import TICKS, Needs, needs_below

LOOK = 0.05
"""Seconds between two looks at the running trees: a scan of /proc costs milliseconds."""
_NOTHING = Needs(0, False)


class Room:
    """Asked by the launcher before each start. Where `slots` is a number, nothing is ever looked at."""

    def __init__(self, slots: Slots, clock: Clock) -> None:
        self._slots, self._clock = slots, clock
        self._looked = float("-inf")
        self._needs: dict[int, Needs] = {}
        self._looks: dict[int, tuple[int, int]] = {}  # index → how often it was looked at, and how often it was busy

    def for_one_more(self, running: Mapping[int, Running]) -> bool:
        if isinstance(self._slots, int):
            return len(running) < max(1, self._slots)
        if not running:
            return True
        self._look(running)
        now = self._clock.now().mono
        return self._slots([self._beside(index, one, now) for index, one in running.items()])

    def next_look(self) -> float:
        """The `mono` time at which the answer may be another one though nothing has ended."""
        return float("inf") if isinstance(self._slots, int) else self._looked + LOOK

    def _look(self, running: Mapping[int, Running]) -> None:
        now = self._clock.now().mono
        if now < self._looked + LOOK:
            return
        self._looked = now
        self._needs = needs_below([one.pid for one in running.values()])
        self._looks = {index: self._looks.get(index, (0, 0)) for index in running}
        for index, one in running.items():
            looks, busy = self._looks[index]
            self._looks[index] = looks + 1, busy + self._needs[one.pid].wants

    def _beside(self, index: int, one: Running, now: float) -> Beside:
        looks, busy = self._looks.get(index, (0, 0))
        cpu = self._needs.get(one.pid, _NOTHING).ticks / TICKS
        return Beside(index, now - one.began, cpu, busy / looks if looks else 0.0)
