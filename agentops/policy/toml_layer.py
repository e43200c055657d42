"""A TOML file's settings: every known key checked, every unknown one named with the nearest, each with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from agentops.core.errors import UnusableFile
from agentops.policy.keys import WrongValue, keys, nearest
from agentops.policy.origins import Given, Layer, Origin
from agentops.policy.tables import FREE, USER_ONLY
from agentops.policy.toml_lines import Positions, line_of, positions

_AT = re.compile(r"^(.*?) \(at (?:line (\d+), column (\d+)|(end of document))\)$", re.DOTALL)
_SHOWN = 8


class BadConfiguration(UnusableFile):
    """A configuration file does not load."""


def layer(text: str, path: str, level: Layer, table: tuple[str, ...] = ()) -> dict[str, Given]:
    """What the file at `path` says; `table` is where ours begins in it (`tool`, `agentops`). Pure.

    Raises BadConfiguration with file, line and column for TOML that cannot be read, and with every wrong key and value.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        document: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as broken:  # also a number of five thousand digits
        raise BadConfiguration(_located(path, broken, text), mend=f"${{EDITOR:-vi}} {path}") from None
    for name in table:
        document = document.get(name, {}) if isinstance(document, dict) else {}
    reader = _Reader(path, level, ".".join(table), positions(text) if document else {})
    reader.take(document, "")
    if reader.wrong:
        rest = len(reader.wrong) - _SHOWN
        said = reader.wrong[:_SHOWN] + ([f"… and {rest} more"] if rest > 0 else [])
        raise BadConfiguration("\n    ".join(said), mend=f"${{EDITOR:-vi}} {path}   (docs/configuration.md names every key)")
    return reader.found


class _Reader:
    """One pass over a document: what it found, and what is wrong, each with its place."""

    def __init__(self, path: str, level: Layer, prefix: str, where: Positions) -> None:
        self._path, self._level, self._prefix, self._where = path, level, prefix, where
        self.found: dict[str, Given] = {}
        self.wrong: list[str] = []

    def take(self, table: object, prefix: str) -> None:
        """The table at `prefix` (empty, or ending with a dot), and everything below it."""
        if not isinstance(table, dict):
            self._no(prefix.rstrip("."), "must be a table")
            return
        known = keys()
        for name, value in table.items():
            key = prefix + name
            if key in FREE:
                self._free(key, value)
            elif key in known:
                self._value(key, value)
            elif any(one.startswith(key + ".") for one in known):
                self.take(value, key + ".")
            else:
                around = {one[len(prefix) :].split(".")[0] for one in (*known, *FREE) if one.startswith(prefix)}
                there = f"in [{prefix.rstrip('.')}]" if prefix else "at the top"
                self._no(key, f"there is no such {'table' if isinstance(value, dict) else 'key'} {there}" + nearest(name, around))

    def _value(self, key: str, value: object) -> None:
        try:
            self.found[key] = Given(keys()[key].read(value), self._origin(key))
        except WrongValue as wrong:
            self._no(key, str(wrong))

    def _free(self, key: str, value: object) -> None:
        if key in USER_ONLY and self._level is not Layer.USER:
            self._no(key, "belongs in your own file, ~/.config/ao/config.toml")
        elif not isinstance(value, dict):
            self._no(key, "must be a table")
        else:
            for name, entry in value.items():
                if key == "agents" and not isinstance(entry, Mapping):
                    self._no(f"{key}.{name}", "must be a table: [agents.NAME]")
                else:
                    self.found[f"{key}.{name}"] = Given(entry, self._origin(f"{key}.{name}"))

    def _line(self, key: str) -> int:
        return line_of(f"{self._prefix}.{key}" if self._prefix else key, self._where)

    def _origin(self, key: str) -> Origin:
        return Origin(self._level, f"{self._path}:{self._line(key)}")

    def _no(self, key: str, why: str) -> None:
        self.wrong.append(f"{self._path}:{self._line(key)}: {key or self._prefix}: {why}")


def _located(path: str, broken: Exception, text: str) -> str:
    found = _AT.match(str(broken))
    if found is None:
        return f"{path}: this is no TOML: {broken}"
    line, column = (found[2], found[3]) if found[2] else (str(text.count("\n") + 1), str(len(text.rpartition("\n")[2]) + 1))
    return f"{path}:{line}:{column}: this is no TOML: {found[1][:1].lower()}{found[1][1:]}"
