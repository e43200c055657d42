"""GOALS.yaml, versions 1 to 3: goals as upstream's command reads them, and our further keys. Pure.

A goal that cannot be understood is reported with its line and not read; where a field is wrong and a default does no harm
(`type`, `weight`, `description`), the goal is read with the default and the file still counts as wrong.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal, GoalType, Threshold
from agentops.goals import cells
from agentops.goals.cells import BadCell, Cell, Span
from agentops.goals.lines import Problem
from agentops.goals.model import Format, GoalsDocument
from agentops.goals.numbers import number
from agentops.goals.table import DEFAULT_WEIGHT, is_goal_id
from agentops.goals.yaml_nodes import Node, Tree, read_tree

VERSIONS = (1, 2, 3)
_TOP = ("version", "mission", "goals")
_UPSTREAM = ("id", "description", "check", "weight", "type", "pillar", "continuous", "tags", "affects_files")
_OURS = ("fix", "inputs", "volatile", "exclusive", "timeout", "metric", "optimize", "network")
KNOWN = (*_UPSTREAM, *_OURS)
_COMPARING = ("threshold", "operator", "comparison", "min", "max", "target", "direction")
_EXPECTING = ("expect", "expected", "pass", "pass_if", "pass_when", "success", "exit_code")
PASS_RULES = frozenset((*_COMPARING, *_EXPECTING))
"""Keys by which somebody says when a goal passes. We know none of them, and guessing would report a false pass."""

T = TypeVar("T")


def parse_yaml(text: str, path: str, raw: bytes) -> GoalsDocument:
    """The document that a text says. Raises UnusableFile for what is no YAML, and for a version that nobody knows."""
    tree = read_tree(text, path)
    root = tree.root
    if root.kind != "map":
        raise UnusableFile(
            f"{path}:{root.line}: a goals file is a map with `version` and `goals`", mend="docs/goals.md shows one"
        )
    version = _version(root, path)
    problems = _beside_goals(tree, version)
    goals: dict[str, Goal] = {}
    listed = root.get("goals")
    if listed is not None and listed.kind not in ("list", "null"):
        raise UnusableFile(f"{path}:{listed.line}: `goals` is not a list", mend="docs/goals.md shows one")
    for node in listed.items if listed is not None else ():
        goal, said = _read(node)
        problems += said
        if goal is not None and goal.id in goals:
            first = goals[goal.id].line
            problems.append(_refused(node, f"goal `{goal.id}` is there already, on line {first}; this one is not read"))
        elif goal is not None:
            goals[goal.id] = goal
    mission = root.get("mission")
    return GoalsDocument(
        path,
        mission.text.strip() if mission is not None and mission.kind == "scalar" else "",
        tuple(goals.values()),
        tuple(sorted(problems, key=lambda problem: problem.line)),
        raw,
        format=Format.YAML,
        version=version,
    )


def _version(root: Node, path: str) -> int:
    node = root.get("version")
    text = node.text if node is not None and node.kind == "scalar" else "0"
    found = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    if found not in VERSIONS:
        place = f":{node.line}" if node is not None else ""
        raise UnusableFile(
            f"{path}{place}: unsupported version {text} (expected 1, 2, or 3)",
            mend=f"write `version: 2` as the first line of {path}",
        )
    return found


def _beside_goals(tree: Tree, version: int) -> list[Problem]:
    """What is to say of everything but the goals."""
    said = [Problem(0, "version 1 is old; `ao goals migrate` makes it version 2", fatal=False)] if version == 1 else []
    if tree.more:
        said.append(Problem(0, "only the first document of this file is read", fatal=False))
    for name, value in tree.root.words():
        if name not in _TOP and not value.anchored:  # a value that others refer to is theirs
            said.append(Problem(value.line, f"the key `{name}` is not known and is ignored{_near(name, _TOP)}", fatal=False))
    return said


def _near(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def _refused(node: Node, text: str) -> Problem:
    return Problem(node.line, text, fatal=True)


class _BadField(ValueError):
    """A field without which the goal cannot be read."""

    def __init__(self, node: Node, text: str) -> None:
        self.node = node
        super().__init__(text)


@dataclass(slots=True)
class _Fields:
    """The fields of one goal, and what was found wrong with them so far."""

    node: Node
    problems: list[Problem] = field(default_factory=list)

    @property
    def name(self) -> str:
        found = self.node.get("id")
        return found.text if found is not None else ""

    def value(self, key: str) -> Node | None:
        found = self.node.get(key)
        return None if found is None or found.kind == "null" else found

    def scalar(self, key: str) -> str:
        """The text of a field, empty when it is not there."""
        found = self.value(key)
        if found is None:
            return ""
        if found.kind != "scalar":
            raise _BadField(found, f'goal "{self.name}" field "{key}": must be one value')
        return found.text.strip()

    def required(self, key: str) -> str:
        if not (text := self.scalar(key)):
            raise _BadField(self.node, f'goal "{self.name}" field "{key}": required')
        return text

    def wrong(self, key: str, text: str) -> None:
        """The goal is read all the same, and the file is wrong."""
        at = self.value(key) or self.node
        self.problems.append(Problem(at.line, f'goal "{self.name}" field "{key}": {text}', fatal=False, wrong=True))

    def extension(self, key: str, read: Callable[[Cell], T]) -> T:
        """A field of ours, in the words that the table's column knows; lists are joined as there."""
        found = self.value(key)
        try:
            return read(_cell(found, key))
        except BadCell as bad:
            assert found is not None
            raise _BadField(found, f'goal "{self.name}" field "{key}" {bad}') from None


def _cell(node: Node | None, key: str) -> Cell:
    """The value as a table's cell would hold it; list items and commands as code, for what they hold is meant to the letter."""
    if node is None:
        return Cell()
    if node.kind == "list":
        parts = [Span(item.text.strip(), f"`{item.text}`", code=True) for item in node.items if item.kind == "scalar"]
        if len(parts) != len(node.items) or not all(part.text for part in parts):
            raise BadCell("is a list of something other than texts")
        return Cell(tuple(parts))
    if node.kind != "scalar":
        raise BadCell("is a map where one value is meant")
    text = node.text.strip()
    return Cell((Span(text, f"`{text}`", code=key == "fix" and bool(text)),) if text else ())


def _read(node: Node) -> tuple[Goal | None, list[Problem]]:
    """The goal of a list item, or the reason why it is not read."""
    if node.kind != "map":
        return None, [_refused(node, "this is no goal: a goal is a map with `id`, `description`, `check` and `weight`")]
    fields = _Fields(node)
    try:
        return _understood(fields), fields.problems
    except _BadField as bad:
        return None, [*fields.problems, _refused(bad.node, f"{bad}; this goal is not read")]


def _understood(fields: _Fields) -> Goal:
    goal_id = fields.required("id")
    if not is_goal_id(goal_id):
        raise _BadField(fields.node, f'goal "{goal_id}" field "id": must be kebab-case')
    description = fields.scalar("description")
    if not description:
        fields.wrong("description", "required; the id is used")
    check = fields.required("check")
    metric = fields.scalar("metric").casefold()
    threshold, unclear = _pass_rule(fields, metric)
    for name, value in fields.node.words():
        if name not in KNOWN and name not in PASS_RULES:
            text = f'goal "{goal_id}": the key `{name}` is not known and is ignored{_near(name, KNOWN)}'
            fields.problems.append(Problem(value.line, text, fatal=False))
    return Goal(
        id=goal_id,
        check=check,
        description=description or goal_id,
        weight=_weight(fields),
        line=fields.node.line,
        fix=fields.extension("fix", cells.optional_command),
        inputs=fields.extension("inputs", cells.names),
        volatile=fields.extension("volatile", cells.yes_or_no),
        exclusive=fields.extension("exclusive", cells.yes_or_no),
        timeout=fields.extension("timeout", cells.seconds),
        metric=metric if metric in ("higher", "lower") else None,
        optimize=fields.extension("optimize", cells.names),
        network=fields.extension("network", cells.yes_or_no),
        type=_type(fields),
        pillar=fields.scalar("pillar"),
        tags=fields.extension("tags", cells.tags),
        threshold=threshold,
        unclear=unclear,
    )


def _weight(fields: _Fields) -> int:
    node = fields.value("weight")
    found = cells.weight(_cell(node, "weight")) if node is not None and node.kind == "scalar" else None
    if found is None or not 1 <= found <= 10:
        fields.wrong("weight", f"must be 1-10; {DEFAULT_WEIGHT} is used")
        return DEFAULT_WEIGHT
    if node is not None and node.quoted:
        fields.wrong("weight", f"is text in quotes where a number is meant; {found} is used")
    return found


def _type(fields: _Fields) -> GoalType:
    text = fields.scalar("type")
    if text and text not in set(GoalType):
        fields.wrong("type", f'invalid type "{text}"; `{GoalType.HEALTH}` is used')
        return GoalType.HEALTH
    return GoalType(text) if text else GoalType.HEALTH


def _pass_rule(fields: _Fields, metric: str) -> tuple[Threshold | None, str]:
    """The threshold of a goal, and why its rule is not understood, which is said as well."""
    node = fields.value("continuous")
    unclear = ""
    if metric not in ("", "higher", "lower"):
        unclear = f"its metric is `{metric}` where `higher` or `lower` is meant"
    elif rules := sorted(PASS_RULES & {name for name, _ in fields.node.words()}):
        unclear = f"its `{rules[0]}` may say when it passes, and is not understood"
    elif node is not None and (node.kind != "map" or {name for name, _ in node.words()} - {"metric", "threshold"}):
        unclear = "its `continuous` holds more than `metric` and `threshold`"
    threshold = None
    if node is not None and not unclear:
        bound = node.get("threshold")
        least = number(bound.text) if bound is not None and bound.kind == "scalar" else None
        if least is None:
            unclear = "its `continuous` has no number as `threshold`"
        else:
            named = node.get("metric")
            threshold = Threshold(named.text if named is not None else "", least, lower_is_better=metric == "lower")
            if not metric:
                text = f'goal "{fields.name}": the threshold {least:g} is taken as the least; `metric: lower` makes it the most'
                fields.problems.append(Problem(node.line, text, fatal=False))
    if unclear:
        text = f'goal "{fields.name}": {unclear}; it is skipped, never guessed at'
        fields.problems.append(Problem(fields.node.line, text, fatal=False, wrong=True))
    return threshold, unclear
