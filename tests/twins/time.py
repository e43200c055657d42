"""A clock that moves only when somebody waits, and a scope on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agentops.core.clock import Clock, Instant
from agentops.core.stops import Stop, StopReason

EPOCH = 1_800_000_000.0


@dataclass
class VirtualClock:
    seconds: float = 0.0

    def now(self) -> Instant:
        return Instant(self.seconds, EPOCH + self.seconds)

    def boot(self) -> str:
        return "virtual"

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds


@dataclass
class VirtualScope:
    """`told` is a person's or a limit's word; `asks` further questions, as the real scope has them."""

    virtual: VirtualClock
    told: Stop | None = None
    asks: tuple[Callable[[], Stop | None], ...] = ()
    until: float | None = None
    is_closing: bool = False
    parent: VirtualScope | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.clock: Clock = self.virtual

    def stopped(self) -> Stop | None:
        root = self.parent or self
        found = None if self.is_closing else root.told or next((stop for ask in root.asks if (stop := ask())), None)
        if found is None and self.until is not None and self.virtual.seconds >= self.until:
            return Stop(StopReason.DEADLINE, "its time is over")
        return found

    def wait(self, until: Instant, *fds: int) -> Stop | None:
        if (stop := self.stopped()) is None:
            bound = until.mono if self.until is None else min(until.mono, self.until)
            self.virtual.seconds = max(self.virtual.seconds, bound)
            stop = self.stopped()
        return stop

    def within(self, seconds: float) -> VirtualScope:
        until = self.virtual.seconds + seconds
        until = until if self.until is None else min(until, self.until)
        return VirtualScope(self.virtual, until=until, is_closing=self.is_closing, parent=self.parent or self)

    def closing(self) -> VirtualScope:
        return VirtualScope(self.virtual, is_closing=True, parent=self.parent or self)
