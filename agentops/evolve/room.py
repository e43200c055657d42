"""A full disk is a pause, not an end: the session waits for room, then recovers through the same door as after a crash."""

from __future__ import annotations

import errno
from collections.abc import Callable

from agentops.core.clock import Instant
from agentops.core.errors import ExitCode
from agentops.core.stops import Scope, Stop, StopReason
from agentops.evolve.parts import Parts
from agentops.evolve.report import Pause
from agentops.evolve.tally import Tally

DISK_IS_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
ROOM_BYTES = 16 * 1024 * 1024
ROOM_SECONDS = 600.0
MOST_TIMES = 3
"""So often in one start; room that is there and still can't be written to is no matter of waiting."""


def wait_for_room(error: OSError, scope: Scope, parts: Parts, tally: Tally, notice: Callable[[str], None]) -> Stop | None:
    """Wait until what failed can be tried again; None then, else why the session ends. Other errors end it at once."""
    if error.errno not in DISK_IS_FULL:
        what = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
        return Stop(StopReason.ENVIRONMENT, what, ExitCode.ENVIRONMENT)
    deadline = parts.clock.now().plus(ROOM_SECONDS)
    notice("the disk is full; waiting for room")
    began = parts.clock.now().wall
    try:
        return _waited(error, deadline, scope, parts, tally)
    finally:
        tally.pauses.append(Pause("the disk was full", began, parts.clock.now().wall))


def _waited(error: OSError, deadline: Instant, scope: Scope, parts: Parts, tally: Tally) -> Stop | None:
    while parts.room() < ROOM_BYTES:
        now = parts.clock.now()
        if now.mono >= deadline.mono:
            return Stop(StopReason.DISK_FULL, "no room on the disk; free some and start again", ExitCode.ENVIRONMENT)
        if (stop := scope.wait(now.plus(5.0))) is not None:
            return stop
    tally.full_disks += 1
    if tally.full_disks > MOST_TIMES:
        return Stop(StopReason.DISK_FULL, f"writing fails again and again: {error}", ExitCode.ENVIRONMENT)
    return None
