"""The check of an item, run by a worker to see whether its own work, or its claim that there is none to do, holds."""

from __future__ import annotations

from agentops.core.places import Place, Purpose
from agentops.core.processes import Ended, Exit, Host, Limits
from agentops.core.stops import Scope
from agentops.core.work import WorkItem
from agentops.goals.checks import BASH
from agentops.goals.measure import PER_GOAL

_SHOWN = 1200


class OwnCheck:
    """Runs an item's check as measuring does. What it changes in the tree is the cycle's effect like everything else then."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def failure(self, item: WorkItem, place: Place, scope: Scope) -> str | None:
        """Why the check does not pass, in its own last words; None when it passes. Without a check there is nothing to pass."""
        if item.check is None:
            return "it has no check of its own"
        limits = Limits(total=item.timeout if item.timeout is not None else PER_GOAL)
        ended = self._host.run(place.spec((*BASH, "-c", item.check), Purpose.CHECK, limits=limits, merged=True), scope)
        return None if ended.good else _words(ended)


def _words(ended: Exit) -> str:
    said = (ended.out + ended.out_tail).decode("utf-8", "replace").strip()[-_SHOWN:]
    how = f"ended with {ended.code}" if ended.ended is Ended.OK else str(ended.ended)
    return f"({how}) {said}" if said else f"({how})"
