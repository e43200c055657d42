"""The session's own account: working time against its cap, limits of the agent as pauses."""

from __future__ import annotations

from dataclasses import dataclass

from agentops.core.agents import Usage
from agentops.core.clock import Clock, Instant
from agentops.core.meters import Grant
from agentops.core.stops import Stop, StopReason

OVERRUN = 1.10
"""A running phase may pass its cap by a tenth before it is ended (evolve.md section 1)."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a session may spend: US dollars, tokens (read and written together). None is no limit."""

    usd: float | None = None
    tokens: int | None = None

    def passed(self, used: Usage, slack: float = 1.0) -> str | None:
        """Which cap is reached, in words. What nobody knows the price of cannot be counted (loop-peers B-L16)."""
        if self.usd is not None and (used.usd or 0.0) >= self.usd * slack:
            return f"${used.usd or 0.0:.2f} spent, the cap is ${self.usd:g}"
        tokens = (used.tokens_in or 0) + (used.tokens_out or 0)
        if self.tokens is not None and tokens >= self.tokens * slack:
            return f"{tokens} tokens used, the cap is {self.tokens}"
        return None


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
    """Hours of working time, a wall-clock end, money and tokens; asked before a cycle, and with some slack while one runs.

    `used`: what earlier runs of the same session spent.
    """

    def __init__(
        self, clock: Clock, time: WorkingTime, hours: float, until: float | None, caps: Caps = Caps(), used: Usage | None = None
    ) -> None:
        self._clock = clock
        self.time = time
        self._cap = hours * 3600.0
        self._until = until
        self._number = 0
        self._settled: set[int] = set()
        self._paused: dict[str, Instant] = {}
        self._caps = caps
        self.used = used or Usage()

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
        """The cap that is reached, if any; `slack` stretches what is spent, never the wall-clock end of a running phase."""
        worked = self.time.seconds()
        if worked >= self._cap * slack:
            return Stop(StopReason.BUDGET, f"{worked / 3600:.2f} h of working time, the cap is {self._cap / 3600:g} h")
        if (spent := self._caps.passed(self.used, slack)) is not None:
            return Stop(StopReason.BUDGET, spent)
        late = 0.0 if self._until is None else self._clock.now().wall - self._until
        if self._until is not None and late >= (slack - 1.0) * self._cap:
            return Stop(StopReason.BUDGET, "the time given with --until has come")
        return None

    def overrun(self) -> Stop | None:
        """What ends even a running phase: a cap passed by a tenth."""
        return self.over(OVERRUN)
