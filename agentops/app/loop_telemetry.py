"""What other tools read along: telemetry, the projection of the session, and the ledger of flakes."""

from __future__ import annotations

import os

from agentops.core.clock import Clock
from agentops.core.events import Event, Events
from agentops.core.judging import Finding
from agentops.evolve.own_files import SESSION_STATE, TELEMETRY
from agentops.records import flakes, session_state, telemetry
from agentops.records.rows import CycleRow
from agentops.records.times import utc_text
from agentops.rpi.artifacts import Artifacts

FRESH = {"idle_streak": 0, "generator_empty_streak": 0}
"""What a cycle with work in it says of the passes before it."""
FLAKES = "flakes.jsonl"


class LoopTelemetry:
    """Implements the loop's `Telemetry`; never raises, losing it costs nothing."""

    def __init__(
        self, top: str, state: str, session: str, clock: Clock, events: Events, artifacts: Artifacts | None = None
    ) -> None:
        self._flakes = os.path.join(state, FLAKES)
        self._telemetry = os.path.join(top, TELEMETRY)
        self._state = os.path.join(top, SESSION_STATE)
        self._session = session
        self._clock = clock
        self._events = events
        self._artifacts = artifacts

    def cycle_complete(self, row: CycleRow) -> None:
        telemetry.cycle_complete(self._telemetry, row)
        self._publish(row)
        self.project(cycle=row.cycle, last_result=str(row.result), last_selected_source=row.source, claimed_work=None, **FRESH)

    def _publish(self, row: CycleRow) -> None:
        try:
            told = self._artifacts.publish(row) if self._artifacts is not None else None
        except OSError as error:
            told = f"what upstream's tools read of cycle {row.cycle} was not written: {error.filename}: {error.strerror}"
        if told is not None:
            self._events.emit(Event.NOTICE, text=told)

    def flaked(self, cycle: int, finding: Finding) -> None:
        flakes.append(self._flakes, timestamp=utc_text(self._clock.now().wall), cycle=cycle, finding=finding)

    def project(self, **facts: object) -> None:
        now = utc_text(self._clock.now().wall)
        note = session_state.update(self._state, {**facts, "mode": "standard", "session_id": self._session, "updated_at": now})
        if note is not None:
            self._events.emit(Event.NOTICE, text=note)
