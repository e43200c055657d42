"""The machine's clocks. The only module that reads them; everything else is handed an `Instant`."""

from __future__ import annotations

import time

from agentops.core.clock import Clock, Instant

_BOOT_ID = "/proc/sys/kernel/random/boot_id"


class SystemClock(Clock):
    """The real clock: monotonic time that stands still in suspend, and wall time."""

    def now(self) -> Instant:
        return Instant(time.monotonic(), time.time())

    def boot(self) -> str:
        """The kernel's boot id; where there is none, the second in which this boot began (a stepped clock changes it)."""
        try:
            with open(_BOOT_ID, encoding="ascii") as file:
                return file.read().strip()
        except OSError:
            return f"since-{round(time.time() - time.monotonic())}"

    def asleep(self) -> float:
        """Seconds that this boot has spent suspended so far; 0 where the machine cannot tell."""
        boottime = getattr(time, "CLOCK_BOOTTIME", None)
        return 0.0 if boottime is None else max(0.0, time.clock_gettime(boottime) - time.monotonic())


def jumped(earlier: Instant, later: Instant) -> float:
    """Seconds by which wall time ran ahead of monotonic time between two instants: suspend, or a stepped clock.

    Negative when the wall clock was set back (loop-peers B-T15: such time is neither idle nor working time).
    """
    return (later.wall - earlier.wall) - (later.mono - earlier.mono)
