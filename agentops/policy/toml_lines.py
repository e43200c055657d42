"""On which line of a TOML text each key stands; the standard library's reader says what is there, not where."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_CLOSES = re.compile(r"""(?:[\]}]|\"{3}|'{3})\s*(?:#.*)?$""")
"""What the last line of a statement over several lines ends with."""
_MOST_READ = 2 << 20
"""Characters that are read before the rest has no lines: a hostile list would be read anew for each of its own."""

Positions = Mapping[str, int]
"""Dotted key → line, counted from 1. A key inside an inline table has the line of its outermost key."""


def positions(text: str) -> dict[str, int]:
    """Positions of a text that `tomllib` has read. Every table and every key that is written out has one.

    A statement is the smallest number of lines that is TOML by itself, which leaves strings, comments and nesting to the
    reader that knows them.
    """
    found: dict[str, int] = {}
    table = ""
    for line, statement in _statements(text):
        header = statement.lstrip().startswith("[")
        for path in _paths(tomllib.loads(statement)):
            if header:
                table = path  # the last path of a header is the deepest
            found.setdefault(path if header or not table else f"{table}.{path}", line)
    return found


def line_of(key: str, where: Positions) -> int:
    """The line of a key, or of the nearest table around it; 1 when nothing of it is written out."""
    while key not in where and "." in key:
        key = key.rpartition(".")[0]
    return where.get(key, 1)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    begun, lines, read = 0, list[str](), 0
    for number, line in enumerate(text.split("\n"), 1):
        lines.append(line)
        begun = begun or number
        if len(lines) > 1 and not _CLOSES.search(line):
            continue
        statement = "\n".join(lines)
        read += len(statement)
        if read > _MOST_READ:
            return
        try:
            tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if statement.strip():
            yield begun, statement
        begun, lines = 0, []


def _paths(value: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, inner in value.items():
        path = prefix + key
        yield path
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            inner = inner[0]
        if isinstance(inner, dict):
            yield from _paths(inner, path + ".")
