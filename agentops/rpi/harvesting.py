"""Follow-ups into the queue of the place they were found in: one row, of what is not waiting there already."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from agentops.core.events import Event, Events
from agentops.core.places import Place, Start
from agentops.core.stops import Scope
from agentops.core.work import WorkItem
from agentops.host.files import read_tail
from agentops.records.queue_file import QueueFile
from agentops.records.times import utc_text
from agentops.rpi.follow_ups import FollowUp, entry
from agentops.rpi.packet import upstream_run
from agentops.tree.changes import NEXT_WORK

_LOOKED_AT = 16 * 1024 * 1024


class Harvesting:
    """Implements `Harvest`. In the place, not in the checkout: what is queued there is part of the cycle's effect, and what
    a take-back keeps. `repo`: the repository's name, which the rows carry.
    """

    def __init__(self, scope: Scope, events: Events, repo: str | None = None) -> None:
        self._scope = scope
        self._events = events
        self._repo = repo

    def __call__(self, item: WorkItem, place: Place, start: Start, found: Sequence[FollowUp]) -> int:
        path = os.path.join(place.path, NEXT_WORK)
        if not found:
            return 0
        if leads_away(place.path, NEXT_WORK):
            self._events.emit(Event.NOTICE, text=f"{len(found)} follow-ups were not queued: {path} is no file of this tree")
            return 0
        try:
            known = _queued(path)
            fresh = [one for one in found if msgspec.json.encode(one.dedup_key) not in known]
            if fresh:
                row = entry(fresh, epic=upstream_run(start), timestamp=utc_text(self._scope.clock.now().wall), repo=self._repo)
                QueueFile(path).append(row)
        except OSError as error:
            self._events.emit(Event.NOTICE, text=f"{len(found)} follow-ups were not queued: {path}: {error.strerror}")
            return 0
        if fresh:
            self._events.emit(Event.NOTICE, text=f"cycle {start.cycle} queued {len(fresh)} follow-ups")
        return len(fresh)


def _queued(path: str) -> bytes:
    """The end of the queue: a key that stands there as a whole is known, whatever became of its row."""
    try:
        return read_tail(path, _LOOKED_AT)
    except FileNotFoundError:
        return b""


def leads_away(top: str, path: str) -> bool:
    """Whether an agent put a link, or something that is no file, where the queue should be."""
    at = top
    for part in path.split("/"):
        at = os.path.join(at, part)
        if os.path.islink(at):
            return True
    return os.path.lexists(at) and not os.path.isfile(at)
