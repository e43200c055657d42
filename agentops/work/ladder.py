"""The ladder: sources asked in order; the first with eligible work wins, and every choice says what was passed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agentops.core.stops import Scope
from agentops.core.work import Offer, PassedOver, Seen, Source, WorkItem, World

Able = Callable[[WorkItem], str | None]
"""Why no worker can do an item; None when one can."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen and why not the others. `item` is None when the pass came up empty."""

    item: WorkItem | None
    source: Source | None
    others: tuple[WorkItem, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


def choose(rungs: Sequence[tuple[Source, Offer]], able: Able) -> Choice:
    """The best item of the first rung that has one which a worker can do. Pure."""
    passed: list[PassedOver] = []
    for source, offer in rungs:
        passed.extend(offer.passed_over)
        for at, item in enumerate(offer.items):
            why = able(item)
            if why is None:
                return Choice(item, source, offer.items[at + 1 :], tuple(passed))
            passed.append(PassedOver(item.key, why))
    return Choice(None, None, passed_over=tuple(passed))


class Ladder:
    """The rungs in order. Looking is I/O and happens rung by rung: a rung below the winner is never asked."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)

    def choose(self, world: World, able: Able, scope: Scope) -> Choice:
        passed: tuple[PassedOver, ...] = ()
        for source in self.sources:
            seen: Seen = source.look(scope)
            choice = choose([(source, source.offer(world, seen))], able)
            passed += choice.passed_over
            if choice.item is not None:
                return Choice(choice.item, choice.source, choice.others, passed)
        return Choice(None, None, passed_over=passed)

    def by_name(self, name: str) -> Source | None:
        """The source of an item that a journal names."""
        return next((source for source in self.sources if source.name == name), None)


def explain(passed_over: Sequence[PassedOver]) -> Mapping[str, str]:
    """Reasons by key, for events and reports."""
    return {passed.key: passed.why for passed in passed_over}
