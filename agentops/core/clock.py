"""Time as a value. Only `host` reads a clock; everything else is handed instants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """One moment on two clocks.

    `mono`: seconds on a clock that never steps and stands still while the machine sleeps; for durations and deadlines.
    `wall`: seconds since the epoch, UTC; for people, files and comparison with file times.
    """

    mono: float
    wall: float

    def plus(self, seconds: float) -> Instant:
        return Instant(self.mono + seconds, self.wall + seconds)


class Clock(Protocol):
    """Where instants come from: the machine, or a test."""

    def now(self) -> Instant: ...

    def boot(self) -> str:
        """Names this boot of the machine; monotonic times of another boot mean nothing."""
        ...


def jumped(earlier: Instant, later: Instant) -> float:
    """Seconds by which wall time ran ahead of monotonic time between two instants: the machine slept, or its clock was set.

    Negative when the wall clock was set back. Such time is neither idle nor working time (loop-peers B-T15).
    """
    return (later.wall - earlier.wall) - (later.mono - earlier.mono)
