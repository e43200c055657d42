"""Every key that a configuration may have, with how its value is checked; made once from the tables themselves."""

from __future__ import annotations

import difflib
import shlex
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from agentops.policy.tables import FREE, LISTS, Tables


class WrongValue(ValueError):
    """A value that its key cannot have; the text is the middle of a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Key:
    """`kind` is the type without None. `split`: how one string becomes a list (`words`: as a shell would)."""

    name: str
    kind: Any
    split: str = ""

    @property
    def many(self) -> bool:
        return typing.get_origin(self.kind) is tuple

    def read(self, value: object, *, text: bool = False) -> object:
        """The value as its type has it; one string stands for a list of one. `text`: it comes from a variable, so that
        `1` may be a number or a yes. Raises WrongValue.
        """
        if self.many and isinstance(value, str):
            value = self._list(value, text)
        try:
            return msgspec.convert(value, self.kind, strict=not text)
        except msgspec.ValidationError:
            raise WrongValue(f"{value!r} is not {self.wanted}") from None

    @property
    def wanted(self) -> str:
        """What the value must be, in words."""
        if isinstance(self.kind, type) and issubclass(self.kind, StrEnum):
            return f"one of {', '.join(self.kind)}"
        described = [one.description for one in getattr(self.kind, "__metadata__", ()) if one.description]
        if described:
            return str(described[0])
        if self.kind is bool:
            return "true or false"
        if self.name in LISTS:
            return f"a list of tables: [[{self.name}]]"
        return "a text, or a list of texts that are not empty" if self.many else "a text"

    def _list(self, value: str, text: bool) -> list[Any]:
        if text and value.lstrip().startswith("["):
            try:
                return list(msgspec.json.decode(value, type=list[Any]))
            except msgspec.DecodeError:
                raise WrongValue(f'{value!r} begins like a list and is none: write ["one", "two"]') from None
        if self.split == "words":
            try:
                return shlex.split(value)
            except ValueError as unbalanced:
                raise WrongValue(f"{value!r} cannot be split into words: {str(unbalanced).lower()}") from None
        if self.split:
            return [part.strip() for part in value.split(self.split) if part.strip()]
        return [value]


@cache
def keys() -> dict[str, Key]:
    """Every fixed key by its dotted name; entries of free tables are not among them."""
    return dict(_keys(Tables, ""))


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean x?)`, or nothing when no name is near."""
    found = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f" (did you mean {found[0]}?)" if found else ""


def _keys(table: type, prefix: str) -> Iterable[tuple[str, Key]]:
    hints = typing.get_type_hints(table, include_extras=True)
    for one in fields(table):
        kind = _without_none(hints[one.name])
        name = prefix + one.name
        if isinstance(kind, type) and is_dataclass(kind):
            yield from _keys(kind, name + ".")
        elif name not in FREE:
            yield name, Key(name, kind, one.metadata.get("split", ""))


def _without_none(kind: Any) -> Any:
    """`X | None` as X: a variable that says `null` is a text, not an absence."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        left = [one for one in typing.get_args(kind) if one is not type(None)]
        assert len(left) == 1, kind
        return left[0]
    return kind
