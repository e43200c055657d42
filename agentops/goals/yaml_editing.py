"""Editing GOALS.yaml: one goal's bytes come or go, and everything else, comments and layout too, stays. Pure.

The library could write the whole file anew and keep the comments, but not every byte: line widths, quotes and indents are
then its own. It tells where each goal stands, and that is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal, GoalType
from agentops.goals.model import GoalsDocument
from agentops.goals.pieces import Pieces, split
from agentops.goals.yaml_nodes import Node, read_tree

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./ -]*(?<! )")
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_DASH = re.compile(r"[ \t]*(?=-(?:[ \t\r\n]|\Z))")


def add(document: GoalsDocument, goal: Goal) -> bytes:
    """The file's bytes with the goal at the end of the list."""
    pieces = split(document.raw)
    text = pieces.text
    root = read_tree(text, document.path).root
    listed = root.get("goals")
    fields = _fields(goal)
    if listed is None:
        return _spliced(pieces, len(text), _block(fields, "  ", pieces.ending, head="goals:"))
    if listed.kind == "null":
        return _spliced(pieces, _line_end(text, _key(root, "goals").end), _block(fields, "  ", pieces.ending))
    if listed.flow:
        inner = ", ".join(f"{name}: {value}" for name, value in fields)
        comma = ", " if listed.items and not text[: listed.end - 1].rstrip().endswith(",") else ""
        return _spliced(pieces, listed.end - 1, f"{comma}{{{inner}}}", lines=False)
    first, last = listed.items[0], listed.items[-1]
    dash = _dash(text, first)
    indent = text[dash : text.index("-", dash)]
    return _spliced(pieces, _line_end(text, _content_end(last)), _block(fields, indent, pieces.ending))


def remove(document: GoalsDocument, goals: Sequence[Goal]) -> bytes:
    """The file's bytes without these goals; comments between goals stay."""
    pieces = split(document.raw)
    text = pieces.text
    listed = read_tree(text, document.path).root.get("goals")
    gone = {(goal.line, goal.id) for goal in goals}
    items = [item for item in listed.items if (item.line, _id(item)) in gone] if listed is not None else []
    for item in reversed(items):
        start, end = _extent(text, item, flow=bool(listed and listed.flow))
        text = text[:start] + text[end:]
    return Pieces(pieces.bom, ((text, ""),)).raw


def at_version(document: GoalsDocument, version: int) -> bytes:
    """The file's bytes with another number as its version."""
    pieces = split(document.raw)
    node = read_tree(pieces.text, document.path).root.get("version")
    if node is None:
        raise UnusableFile(f"{document.path} has no version", mend="write `version: 2` as its first line")
    return Pieces(pieces.bom, ((f"{pieces.text[: node.start]}{version}{pieces.text[node.end :]}", ""),)).raw


def scalar(text: str) -> str:
    """A YAML scalar that is read back as this text: plain where that is safe, else quoted."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\U{ord(letter):08x}"


def _fields(goal: Goal) -> list[tuple[str, str]]:
    fields = [
        ("id", goal.id),
        ("description", scalar(goal.description)),
        ("check", scalar(goal.check)),
        ("weight", str(goal.weight)),
    ]
    return [*fields, ("type", str(goal.type))] if goal.type is not GoalType.HEALTH else fields


def _block(fields: Sequence[tuple[str, str]], indent: str, ending: str, head: str = "") -> str:
    lines = [f"{indent}{'- ' if at == 0 else '  '}{name}: {value}" for at, (name, value) in enumerate(fields)]
    return ending.join([*([head] if head else []), *lines]) + ending


def _spliced(pieces: Pieces, at: int, new: str, *, lines: bool = True) -> bytes:
    """With a text put in; whole lines begin on a line of their own."""
    text = pieces.text
    gap = pieces.ending if lines and at and text[at - 1] not in "\r\n" else ""
    return Pieces(pieces.bom, ((text[:at] + gap + new + text[at:], ""),)).raw


def _extent(text: str, item: Node, *, flow: bool) -> tuple[int, int]:
    """From where to where a goal goes: its lines, or between brackets itself and one comma."""
    if not flow:
        return _dash(text, item), _line_end(text, _content_end(item))
    after = re.compile(r"\s*,[ \t]*").match(text, item.end)
    if after:
        return item.start, after.end()
    before = text[: item.start].rstrip()
    return (len(before) - 1 if before.endswith(",") else item.start), item.end


def _id(item: Node) -> str:
    found = item.get("id")
    return found.text.strip() if found is not None else ""


def _dash(text: str, item: Node) -> int:
    """The start of the line with an item's dash, which may stand on a line before it."""
    start = _line_start(text, item.start)
    while _DASH.match(text, start) is None:
        if start == 0:
            raise UnusableFile(f"line {item.line}: this goal begins in a way that cannot be edited", mend="edit it by hand")
        start = _line_start(text, start - 1)
    return start


def _content_end(item: Node) -> int:
    """Where the last word of a goal ends; the library ends a block where the next one begins, comments included."""
    return max(_ends(item), default=item.start)


def _ends(node: Node) -> Iterator[int]:
    if node.kind in ("scalar", "null") or node.flow:
        yield node.end
    for one in node.items:
        yield from _ends(one)
    for name, value in node.entries:
        yield from _ends(name)
        yield from _ends(value)


def _key(root: Node, key: str) -> Node:
    return next(name for name, _ in root.entries if name.text == key)


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_end(text: str, at: int) -> int:
    """Behind the line break of the line in which the character before `at` stands."""
    if at and text[at - 1] in "\r\n":
        return at
    found = re.compile(r"\r\n|\n|\r").search(text, at)
    return found.end() if found else len(text)
