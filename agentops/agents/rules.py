"""Event rules in the form in which they are applied: paths split, expressions compiled, sorted by the event's type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from agentops.agents.adapter import Adapter, EventRule, MessageRule, Scalar
from agentops.agents.event_paths import Step, compiled, values
from agentops.core.processes import Ended

Steps = tuple[Step, ...]
Condition = tuple[Steps, tuple[Scalar, ...]]


@dataclass(frozen=True, slots=True)
class Rule:
    """An `EventRule`, ready to use; empty tuples stand for paths that were not given."""

    given: EventRule
    when: tuple[Condition, ...]
    each: Steps
    where: tuple[Condition, ...]
    says: Steps
    final: Steps
    tool: Steps
    arguments: Steps
    denied: Steps
    tokens_in: tuple[Steps, ...]
    tokens_out: tuple[Steps, ...]
    usd: tuple[Steps, ...]
    id: Steps
    error: tuple[Steps, ...]
    matching: re.Pattern[str] | None
    status: Steps
    resets: Steps
    resets_in: Steps

    def subjects(self, event: object) -> Iterator[object]:
        """What the rule speaks of: the event, or those elements of its list that meet `where`; none when `when` fails."""
        for one in self.when:
            if not _holds(event, one):
                return
        if not self.each:
            if all(_holds(event, one) for one in self.where):
                yield event
            return
        found = values(event, self.each)
        for subject in (below for one in found for below in (one if isinstance(one, list) else (one,))):
            if all(_holds(subject, one) for one in self.where):
                yield subject


class Rules:
    """All rules of an adapter. Looking up an event's rules is one step in a dictionary by its `type`."""

    def __init__(self, adapter: Adapter) -> None:
        self._typed: dict[str, list[Rule]] = {}
        self._others: list[Rule] = []
        for given in adapter.events:
            rule = _ready(given)
            kinds = given.when.get("type")
            named = kinds if isinstance(kinds, list) else [kinds]
            if kinds is None or not all(isinstance(one, str) and one != "*" for one in named):
                self._others.append(rule)
                continue
            rest = tuple(one for one in rule.when if one[0] != ("type",))  # the look-up has seen to the type
            for kind in named:
                self._typed.setdefault(str(kind), []).append(replace(rule, when=rest))

    def of(self, event: Mapping[str, object]) -> list[Rule]:
        kind = event.get("type")
        typed = self._typed.get(kind, []) if isinstance(kind, str) else []
        return [*typed, *self._others] if self._others else typed


class Meanings:
    """What an error's words mean: the first matching message decides; None for words that nobody knows (loop-peers B-L2)."""

    def __init__(self, messages: list[MessageRule]) -> None:
        self._known = [(re.compile(one.match, re.IGNORECASE), one.kind) for one in messages]

    def of(self, words: str) -> Ended | None:
        text = words[:4000]
        return next((kind for pattern, kind in self._known if pattern.search(text)), None)


def _ready(given: EventRule) -> Rule:
    def steps(path: str) -> Steps:
        return compiled(path) if path else ()

    return Rule(
        given,
        _conditions(given.when),
        steps(given.each),
        _conditions(given.where),
        steps(given.says),
        steps(given.final),
        steps(given.tool),
        steps(given.arguments),
        steps(given.denied),
        tuple(map(steps, given.tokens_in)),
        tuple(map(steps, given.tokens_out)),
        tuple(map(steps, given.usd)),
        steps(given.id),
        tuple(map(steps, given.error)),
        re.compile(given.matching, re.IGNORECASE) if given.matching else None,
        steps(given.status),
        steps(given.resets),
        steps(given.resets_in),
    )


def _conditions(given: Mapping[str, Scalar | list[Scalar]]) -> tuple[Condition, ...]:
    return tuple((compiled(path), tuple(value) if isinstance(value, list) else (value,)) for path, value in given.items())


def _holds(event: object, condition: Condition) -> bool:
    """True where a value of the path is one of those wanted. `1` is not `true`: JSON tells them apart."""
    steps, wanted = condition
    for value in values(event, steps):
        for one in wanted:
            if (one == "*" and value is not None) or (value == one and isinstance(value, bool) == isinstance(one, bool)):
                return True
    return False
