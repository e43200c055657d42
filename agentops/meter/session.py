"""The session's own account: working time against its cap, limits of the agent as pauses."""

from __future__ import annotations

from agentops.core.agents import Usage
from agentops.core.clock import Clock, Instant
from agentops.core.meters import Grant
from agentops.core.stops import Stop, StopReason

OVERRUN = 1.10
"""A running phase may pass its cap by a tenth before it is ended (evolve.md section 1)."""


class WorkingTime:
    """Seconds in which the session worked: since this run's start, without pauses; sleep of the machine never counts.

    `before` is what earlier runs of the same session worked.
    """

    def __init__(self, clock: Clock, before: float = 0.0) -> None:
        self._clock = clock
        self._before = before
        self._since: float | None = clock.now().mono

    def seconds(self) -> float:
        running = 0.0 if self._since is None else self._clock.now().mono - self._since
        return self._before + max(0.0, running)

    def pause(self) -> None:
        self._before, self._since = self.seconds(), None

    def go_on(self) -> None:
        if self._since is None:
            self._since = self._clock.now().mono


class SessionMeter:
    """Hours of working time and a wall-clock end; both are asked before a cycle, and with some slack while one runs."""

    def __init__(self, clock: Clock, time: WorkingTime, hours: float, until: float | None) -> None:
        self._clock = clock
        self.time = time
        self._cap = hours * 3600.0
        self._until = until
        self._number = 0
        self._settled: set[int] = set()
        self._paused: dict[str, Instant] = {}
        self.used = Usage()

    def reserve(self, account: str, estimate: Usage) -> Grant | Stop | Instant:
        if (over := self.overrun()) is not None:
            return over
        paused = self._paused.get(account)
        if paused is not None and paused.mono > self._clock.now().mono:
            return paused
        self._number += 1
        return Grant(account, self._number, estimate)

    def settle(self, grant: Grant, used: Usage) -> None:
        if grant.number not in self._settled:
            self._settled.add(grant.number)
            self.used = self.used.plus(used)

    def pause(self, account: str, until: Instant) -> None:
        self._paused[account] = until

    def over(self, slack: float = 1.0) -> Stop | None:
        """The cap that is reached, if any; `slack` stretches working time, never the wall-clock end of a running phase."""
        worked = self.time.seconds()
        if worked >= self._cap * slack:
            return Stop(StopReason.BUDGET, f"{worked / 3600:.2f} h of working time, the cap is {self._cap / 3600:g} h")
        late = 0.0 if self._until is None else self._clock.now().wall - self._until
        if self._until is not None and late >= (slack - 1.0) * self._cap:
            return Stop(StopReason.BUDGET, "the time given with --until has come")
        return None

    def overrun(self) -> Stop | None:
        """What ends even a running phase: a cap passed by a tenth."""
        return self.over(OVERRUN)
