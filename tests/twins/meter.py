"""A meter in memory: so many seconds of agents, and pauses by account."""

from __future__ import annotations

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.meters import Grant
from agentops.core.stops import Stop, StopReason
from tests.twins.time import VirtualClock


class TwinMeter:
    """Grants while what was settled is below `cap` seconds and the account is not paused."""

    def __init__(self, clock: VirtualClock, cap: float = float("inf")) -> None:
        self._clock, self._cap = clock, cap
        self._grants = 0
        self._used: dict[int, float] = {}
        self._paused: dict[str, Instant] = {}

    def reserve(self, account: str, estimate: Usage) -> Grant | Stop | Instant:
        if sum(self._used.values()) >= self._cap:
            return Stop(StopReason.BUDGET, "the cap is reached")
        until = self._paused.get(account)
        if until is not None and until.mono > self._clock.now().mono:
            return until
        self._grants += 1
        return Grant(account, self._grants, estimate)

    def settle(self, grant: Grant, used: Usage) -> None:
        self._used.setdefault(grant.number, used.seconds)

    def pause(self, account: str, until: Instant) -> None:
        self._paused[account] = until
