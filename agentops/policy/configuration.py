"""All layers as one configuration: the highest that says something wins, key by key. Pure."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from agentops.policy.origins import WITH_THE_REPOSITORY, Given, Layered, Origin
from agentops.policy.tables import FREE, LOOSER, MASKED, NEEDS_TRUST, NO_EFFECT, Tables, names

_DEFAULTS = Tables()


def _nowhere() -> Mapping[str, Origin]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Configuration:
    """`tables`: the values with their defaults. `origins`: where each one that was *said* came from, by dotted key.

    `withheld`: what a file that came with the repository says about programs to run, or to hold them more loosely. It counts
    only when it is trusted; until then what lies below it does. `asks`: all of that kind that such files say, trusted or not.
    `notices`: what the readers of the files have to say.
    """

    tables: Tables = _DEFAULTS
    origins: Mapping[str, Origin] = field(default_factory=_nowhere)
    withheld: Mapping[str, Origin] = field(default_factory=_nowhere)
    asks: Mapping[str, Given] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def says(self, key: str) -> bool:
        """Whether anybody said something about this key."""
        return key in self.origins


def merge(layers: Iterable[Layered], *, trusted: bool = False, notices: Iterable[str] = ()) -> Configuration:
    """One configuration of all layers, in any order. Lists are replaced, never joined: what stands in the higher file is
    all there is, or nobody could take an entry away. Only what a person hides stays hidden whatever a clone's file says.
    """
    layers, winners = tuple(layers), dict[str, Given]()
    withheld: dict[str, Origin] = {}
    asks: dict[str, Given] = {}
    for layer in layers:
        for key, given in layer.items():
            asked = names(key, NEEDS_TRUST) or given.value in LOOSER.get(key, ())
            needs = asked and given.origin.layer in WITH_THE_REPOSITORY
            if needs and (key not in asks or given.origin.layer > asks[key].origin.layer):
                asks[key] = given
            if needs and not trusted:
                withheld[key] = given.origin
            elif key not in winners or given.origin.layer > winners[key].origin.layer:
                winners[key] = given
    if not trusted:
        winners |= _masks(layers, winners.get(MASKED))
    tables = _table(Tables, "", {key: given.value for key, given in winners.items()})
    assert isinstance(tables, Tables)
    origins = {key: winners[key].origin for key in sorted(winners)}
    return Configuration(tables, MappingProxyType(origins), MappingProxyType(withheld), asks, tuple(notices))


def words(found: Configuration) -> tuple[str, ...]:
    """What a person should be told at the start: where settings came from, what waits for trust, what does nothing."""
    said = list(found.notices)
    acting = {key: origin for key, origin in found.origins.items() if not names(key, NO_EFFECT)}
    if acting:
        said.append("settings from " + ", ".join(f"{origin.where} ({key})" for key, origin in acting.items()))
    if found.withheld:
        what = ", ".join(f"{origin.where} ({key})" for key, origin in sorted(found.withheld.items()))
        said.append(f"not acted on, because a file of the repository says it: {what}; `ao trust` shows it and lets it count")
    said += [f"{o.where}: {key} has no effect in this version" for key, o in found.origins.items() if names(key, NO_EFFECT)]
    return tuple(said)


def _masks(layers: Iterable[Layered], won: Given | None) -> dict[str, Given]:
    """What a file of the repository hides, and what the person's own file hides beside it."""
    if won is None or won.origin.layer not in WITH_THE_REPOSITORY or not isinstance(won.value, tuple):
        return {}
    own = [one[MASKED] for one in layers if MASKED in one and one[MASKED].origin.layer not in WITH_THE_REPOSITORY]
    highest = max(own, key=lambda given: given.origin.layer, default=won)
    assert isinstance(highest.value, tuple)
    return {MASKED: Given(tuple(dict.fromkeys((*won.value, *highest.value))), won.origin)}


def _table(kind: Any, prefix: str, values: Mapping[str, object]) -> object:
    hints = _hints(kind)
    given: dict[str, object] = {}
    for one in fields(kind):
        key = prefix + one.name
        if key in FREE:
            entries = {name.removeprefix(key + "."): value for name, value in values.items() if name.startswith(key + ".")}
            given[one.name] = MappingProxyType(entries)
        elif is_dataclass(hints[one.name]):
            given[one.name] = _table(hints[one.name], key + ".", values)
        elif key in values:
            given[one.name] = values[key]
    return kind(**given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
