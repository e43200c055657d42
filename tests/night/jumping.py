"""Time that passes by itself and can be jumped over; what is due on the way happens on the way."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from itertools import count

from agentops.core.clock import Instant
from agentops.core.stops import Stop
from agentops.host.clock import SystemClock
from agentops.host.scope import StopScope

Act = Callable[[], None]


class JumpingClock(SystemClock):
    """Begins at `hour` o'clock, local time, the next time it comes: files are then never younger than the night."""

    def __init__(self, hour: int) -> None:
        now = time.localtime()
        at = time.mktime((now.tm_year, now.tm_mon, now.tm_mday, hour, 0, 0, 0, 0, -1))
        self._away = at - time.time() + (86_400.0 if at <= time.time() else 0.0)
        self._ahead = 0.0
        self._due: list[tuple[float, int, Act]] = []
        self._number = count()
        self.began = self.now()

    def now(self) -> Instant:
        return Instant(time.monotonic() + self._ahead, time.time() + self._away + self._ahead)

    def at(self, hours: float, act: Act) -> None:
        """Let something happen so many hours after the beginning."""
        heapq.heappush(self._due, (self.began.mono + hours * 3600.0, next(self._number), act))

    def jump(self, seconds: float) -> None:
        """Pass the time; what was to happen meanwhile happens at its moment."""
        until = self.now().mono + max(0.0, seconds)
        while self._due and self._due[0][0] <= until:
            due, _, act = heapq.heappop(self._due)
            self._ahead += max(0.0, due - self.now().mono)
            act()
        self._ahead += max(0.0, until - self.now().mono)


class JumpingScope(StopScope):
    """Waits by jumping, a moment at a time, so that a stop on the way still wakes it."""

    STEP = 60.0

    def wait(self, until: Instant, *fds: int) -> Stop | None:
        clock = self.clock
        assert isinstance(clock, JumpingClock)
        while (stop := self.stopped()) is None and (left := until.mono - clock.now().mono) > 0:
            clock.jump(min(left, self.STEP))
        return stop
