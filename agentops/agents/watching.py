"""A scope that also ends a run which has said its last word and does not leave, or which we have heard enough of."""

from __future__ import annotations

from agentops.agents.heard import Heard
from agentops.core.clock import Instant
from agentops.core.stops import Scope, Stop, StopReason

LINGER = 30.0
"""Seconds after its terminal event in which an agent may leave by itself (loop-peers B-H10)."""


class Watching(Scope):
    """`finished` is true when the run was ended because it lingered. Everything else is the scope it was made from."""

    def __init__(self, scope: Scope, heard: Heard, linger: float = LINGER) -> None:
        self.clock = scope.clock
        self.finished = False
        self._scope, self._heard, self._linger = scope, heard, linger
        self._done_at: Instant | None = None

    @property
    def wakes(self) -> tuple[int, ...]:
        wakes: tuple[int, ...] = getattr(self._scope, "wakes", ())
        return wakes

    def stopped(self) -> Stop | None:
        if (stop := self._scope.stopped()) is not None:
            return stop
        if self._heard.enough is not None:
            return Stop(StopReason.DEADLINE, self._heard.enough[1])
        if self._heard.done is None:
            self._done_at = None
            return None
        now = self.clock.now()
        self._done_at = self._done_at or now
        if now.mono - self._done_at.mono >= self._linger:
            self.finished = True
            return Stop(StopReason.DEADLINE, "it had finished and did not leave")
        return None

    def wait(self, until: Instant, *fds: int) -> Stop | None:
        return self._scope.wait(until, *fds)

    def within(self, seconds: float) -> Scope:
        return Watching(self._scope.within(seconds), self._heard, self._linger)

    def closing(self) -> Scope:
        return self._scope.closing()
