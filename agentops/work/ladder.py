"""The ladder: sources asked in order; the first with eligible work wins, and every choice says what was passed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentops.core.stops import Scope
from agentops.core.work import Offer, PassedOver, Seen, Source, WorkItem, World

Able = Callable[[WorkItem], str | None]
"""Why no worker can do an item; None when one can."""


MOST_SAID = 200
"""So many items that a rung's turn passed over are named each, and so many of those that stand behind the chosen one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen and why not the others. `item` is None when the pass came up empty.

    `others`: the next ones of the same rung, `more` of which are not listed.
    """

    item: WorkItem | None
    source: Source | None
    others: tuple[WorkItem, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    more: int = 0


def choose(rungs: Sequence[tuple[Source, Offer]], able: Able) -> Choice:
    """The best item of the first rung that has one which a worker can do. Pure."""
    passed: list[PassedOver] = []
    for source, offer in rungs:
        passed.extend(offer.passed_over)
        unsaid = 0
        for at, item in enumerate(offer.items):
            why = able(item)
            if why is None:
                others = tuple(offer.items[at + 1 : at + 1 + MOST_SAID])
                return Choice(item, source, others, (*passed, *_and_more(unsaid)), len(offer.items) - at - 1 - len(others))
            if at < MOST_SAID:
                passed.append(PassedOver(item.key, why))
            else:
                unsaid += 1
        passed.extend(_and_more(unsaid))
    return Choice(None, None, passed_over=tuple(passed))


def _and_more(count: int) -> tuple[PassedOver, ...]:
    return (PassedOver(f"{count} more", "for reasons like these"),) if count else ()


class Ladder:
    """The rungs in order. Looking is I/O and happens rung by rung: a rung below the winner is never asked."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)

    def choose(self, world: World, able: Able, scope: Scope) -> Choice:
        """`able`: why no worker can do an item. What rests or was declined is passed over, whatever rung it is of."""

        def free(item: WorkItem) -> str | None:
            return world.resting.get(item.key) or world.declined.get(item.key) or able(item)

        passed: tuple[PassedOver, ...] = ()
        for source in self.sources:
            seen: Seen = source.look(scope)
            choice = choose([(source, source.offer(world, seen))], free)
            passed += choice.passed_over
            if choice.item is not None:
                return replace(choice, passed_over=passed)
        return Choice(None, None, passed_over=passed)

    def by_name(self, name: str) -> Source | None:
        """The source of an item that a journal names."""
        return next((source for source in self.sources if source.name == name), None)


def explain(passed_over: Sequence[PassedOver]) -> Mapping[str, str]:
    """Reasons by key, for events and reports."""
    return {passed.key: passed.why for passed in passed_over}
