"""What happened, as lines that every view reads: names are stable, facts are plain JSON values."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol


class Event(StrEnum):
    """The names; stable, as logs of years are read by them."""

    SESSION_STARTED = "session.started"
    SESSION_CONTINUED = "session.continued"
    SESSION_ENDED = "session.ended"
    RECOVERED = "session.recovered"
    MEASURED = "goals.measured"
    CHECK_SAID = "goals.check_said"
    CHOSEN = "ladder.chosen"
    EMPTY_PASS = "ladder.empty"
    DECLINED = "work.declined"
    CYCLE_STARTED = "cycle.started"
    CYCLE_ENDED = "cycle.ended"
    PHASE_STARTED = "phase.started"
    PHASE_ENDED = "phase.ended"
    PARKED = "cycle.parked"
    RESUMED = "cycle.resumed"
    CHECKED = "gate.checked"
    PROBED = "gate.probed"
    NOTICE = "notice"


class Events(Protocol):
    """Where events go."""

    def emit(self, name: Event, **facts: object) -> None:
        """Append one line. Never raises: losing a view must not cost a cycle."""
        ...
