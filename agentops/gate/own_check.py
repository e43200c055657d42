"""The check that a work item brings along: the item counts as done when it passes."""

from __future__ import annotations

from collections.abc import Iterable

from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Purpose, Start
from agentops.core.processes import Ended, Host, Limits
from agentops.core.stops import Scope
from agentops.core.work import WorkItem

BASH = ("bash", "--noprofile", "--norc")
LIMIT = 60.0
"""Seconds, as for a goal's check; an item may say its own."""


def holds(item: WorkItem, place: Place, host: Host, scope: Scope) -> bool | None:
    """Whether the item's own check passes now; None when it could not say."""
    limits = Limits(total=item.timeout if item.timeout is not None else LIMIT)
    argv = (*BASH, "-c", item.check or "false")
    done = host.run(place.spec(argv, Purpose.CHECK, limits=limits, merged=True), scope)
    if done.ended is not Ended.OK or done.code in (126, 127):
        return None
    return done.code == 0


class OwnCheck:
    """`target_reached` or `target_unmoved`, by the item's own word."""

    name = "own"

    def __init__(self, item: WorkItem, host: Host) -> None:
        self._item = item
        self._host = host

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        found = holds(self._item, place, self._host, scope)
        if found is None:
            return [Finding(FindingKind.GATE_ERROR, self._item.key, "the item's own check could not run to its end")]
        if found:
            return [Finding(FindingKind.TARGET_REACHED, self._item.key, "the item's own check passes")]
        return [Finding(FindingKind.TARGET_UNMOVED, self._item.key, "the item's own check still fails")]

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        return Again(failing=subjects)
