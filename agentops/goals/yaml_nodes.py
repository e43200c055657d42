"""A YAML text as a tree of nodes that know where they stand. Pure; the library is imported when a YAML file is read.

Nodes rather than Python values: a message names line and column, an edit cuts exactly the bytes of one goal, and a check
such as `true` stays the text that it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from agentops.core.errors import UnusableFile

_NULL = "tag:yaml.org,2002:null"
_MERGE = "<<"
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Node:
    """`start` and `end` are offsets in the text, `line` is from 1. `kind`: `scalar`, `list`, `map` or `null`.

    `flow`: written in brackets. `quoted`: a scalar in quotes or as a block. `anchored`: something may refer to it.
    """

    kind: str
    line: int
    start: int
    end: int
    text: str = ""
    quoted: bool = False
    flow: bool = False
    anchored: bool = False
    items: tuple[Node, ...] = ()
    entries: tuple[tuple[Node, Node], ...] = ()

    def get(self, key: str) -> Node | None:
        """The value of a key of a map."""
        return next((value for name, value in self.entries if name.text == key), None)

    def words(self) -> Iterator[tuple[str, Node]]:
        """Key and value of each entry of a map."""
        for name, value in self.entries:
            yield name.text, value


@dataclass(frozen=True, slots=True)
class Tree:
    """The first document of a text. `more`: others follow it, which nobody reads."""

    root: Node
    more: bool


def read_tree(text: str, path: str) -> Tree:
    """The nodes of a YAML text. Raises UnusableFile with line and column for what is no YAML, or holds a key twice."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    reader = YAML(pure=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is used again is allowed
            documents = reader.compose_all(text)
            first = next(documents, None)
            try:
                more = first is not None and next(documents, None) is not None
            except (YAMLError, RecursionError):
                more = True  # nobody reads it, so nobody cares what is wrong with it
        if first is None:
            raise UnusableFile(f"{path} holds no YAML document", mend=f"write goals into it (docs/goals.md); it is {path}")
        return Tree(_node(first, path, 0), more)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        raise UnusableFile(f"{path}{place}: {error.problem or error.context or 'no YAML'}", mend=_mend(path)) from error
    except YAMLError as error:
        raise UnusableFile(f"{path}: {str(error).strip().splitlines()[0]}", mend=_mend(path)) from error
    except RecursionError as error:
        raise UnusableFile(f"{path} is nested too deeply to be a goals file", mend=_mend(path)) from error


def _mend(path: str) -> str:
    return f"mend the line, then: ao goals validate --file {path}"


def _node(found: object, path: str, depth: int) -> Node:
    """One of the library's nodes as ours. `depth` ends aliases that contain themselves."""
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

    assert isinstance(found, ScalarNode | SequenceNode | MappingNode)
    line, start, end = found.start_mark.line + 1, found.start_mark.index, found.end_mark.index
    anchored, flow = found.anchor is not None, bool(getattr(found, "flow_style", False))
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(found, ScalarNode):
        quoted = bool(found.style)
        kind = "null" if str(found.tag) == _NULL and not quoted else "scalar"
        return Node(kind, line, start, end, str(found.value), quoted, anchored=anchored)
    if isinstance(found, SequenceNode):
        items = tuple(_node(item, path, depth + 1) for item in found.value)
        return Node("list", line, start, end, flow=flow, anchored=anchored, items=items)
    entries = _merged([(_node(key, path, depth + 1), _node(value, path, depth + 1)) for key, value in found.value], path)
    return Node("map", line, start, end, flow=flow, anchored=anchored, entries=entries)


def _merged(entries: list[tuple[Node, Node]], path: str) -> tuple[tuple[Node, Node], ...]:
    """The entries of a map: a key that is there twice is refused, what `<<` brings in stands behind the map's own."""
    own: dict[str, tuple[Node, Node]] = {}
    brought: list[Node] = []
    for name, value in entries:
        if name.text == _MERGE and not name.quoted and value.kind in ("map", "list"):
            brought += value.items if value.kind == "list" else (value,)
        elif name.text in own:
            first = own[name.text][0].line
            raise UnusableFile(f"{path}:{name.line}: the key `{name.text}` is there already, on line {first}", mend=_mend(path))
        else:
            own[name.text] = (name, value)
    for one in brought:
        for name, value in one.entries:
            own.setdefault(name.text, (name, value))
    return tuple(own.values())
