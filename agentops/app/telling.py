"""Events as they happen: into the log for every view, and as a line for whoever started the session."""

from __future__ import annotations

from collections.abc import Callable

from agentops.core import wire
from agentops.core.clock import Clock
from agentops.core.events import Event
from agentops.records.event_log import EventLog
from agentops.records.times import utc_text
from agentops.views.events import decode
from agentops.views.log_lines import line

QUIET = frozenset({Event.SESSION_STARTED, Event.SESSION_CONTINUED, Event.SESSION_ENDED})
"""Told by the start lines and the report."""


class Telling:
    """Implements `Events`. Nobody listens until `listen` is called."""

    def __init__(self, log: EventLog, clock: Clock, run: str) -> None:
        self._log = log
        self._clock = clock
        self._run = run
        self._say: Callable[[str], None] | None = None

    def listen(self, say: Callable[[str], None]) -> None:
        self._say = say

    def emit(self, name: Event, **facts: object) -> None:
        self._log.emit(name, **facts)
        if self._say is None or name in QUIET:
            return
        head = {"at": utc_text(self._clock.now().wall), "event": name, "run": self._run}
        happened = decode(wire.dump(head | facts))
        told = line(happened) if happened is not None else None
        if told is not None:
            self._say(told)
