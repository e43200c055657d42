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
