"""The Gates table: rows of Markdown to goals and back. Pure.

Columns are found by name; an unknown one is said loudly and ignored, a row that cannot be understood whole is reported
with its line and not read at all.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agentops.core.fitness import Goal, GoalType, Threshold
from agentops.goals import cells
from agentops.goals.cells import BadCell, Cell, Row
from agentops.goals.lines import Line, Problem
from agentops.goals.numbers import number

DEFAULT_WEIGHT = 5
_DEFAULT_ORDER = ("id", "check", "weight", "description")
_EXTENSIONS = ("fix", "inputs", "volatile", "exclusive", "timeout", "metric", "optimize", "network")
_OF_YAML = ("type", "pillar", "tags", "threshold")
"""Fields of a YAML goal that the original's table has no place for."""
KNOWN = (*_DEFAULT_ORDER, *_EXTENSIONS, *_OF_YAML)
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_METRICS = ("higher", "lower")

T = TypeVar("T")


def is_goal_id(text: str) -> bool:
    """Small letters, digits, single hyphens."""
    return _KEBAB.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Columns:
    """Where each known column is. `named`: the header itself names the check column, so a bare command may be meant."""

    places: dict[str, int]
    width: int
    named: bool

    def cell(self, row: Row, name: str) -> Cell | None:
        place = self.places.get(name)
        return row.cells[place] if place is not None and place < len(row.cells) else None


def parse_table(lines: Iterable[Line]) -> tuple[tuple[Goal, ...], tuple[Problem, ...]]:
    """The goals of a Gates section and its problems, both in file order. Lines without a leading pipe are prose."""
    goals: dict[str, Goal] = {}
    problems: list[Problem] = []
    columns: Columns | None = None
    for block in _blocks(lines):
        at, found, said = _header(block)
        problems += said
        if found is not None:
            columns, block = found, block[at:]
        elif at:
            columns = None
            continue
        if columns is None:
            problems.append(
                Problem(block[0][0], "this table has no header row such as `| ID | Check | Weight | Description |`", fatal=True)
            )
            continue
        for line, row in block:
            if row.separator or row.blank:
                continue
            goal, said = _goal(line, row, columns)
            problems += said
            if goal is not None and goal.id in goals:
                first = goals[goal.id].line
                problems.append(
                    Problem(line, f"goal `{goal.id}` is there already, on line {first}; this row is not read", fatal=True)
                )
            elif goal is not None:
                goals[goal.id] = goal
    return tuple(goals.values()), tuple(problems)


def render_table(goals: Sequence[Goal]) -> str:
    """The table that `parse_table` reads back as these goals; extension columns appear when a goal uses them."""
    used = [name for name in (*_EXTENSIONS, *_OF_YAML) if any(getattr(goal, name) != getattr(_PLAIN, name) for goal in goals)]
    titles = ["ID", "Check", "Weight", "Description", *(name.capitalize() for name in used)]
    rows = [[shown(goal, name) for name in (*_DEFAULT_ORDER, *used)] for goal in goals]
    return "".join(f"| {' | '.join(row)} |\n" for row in [titles, ["---"] * len(titles), *rows])


_PLAIN = Goal("plain", "true", "plain")


def shown(goal: Goal, name: str) -> str:
    """The cell of a goal under a known title; empty where it is as by default."""
    value = getattr(goal, name)
    if name == "check" or (name == "fix" and value):
        return cells.as_code(value)
    if name == "id":
        return goal.id
    if name == "description":
        return cells.as_prose(goal.description)
    if name == "threshold":
        return f"{goal.threshold.name} {goal.threshold.bound:g}".strip() if goal.threshold else ""
    if name == "tags":
        return ", ".join(goal.tags)
    if value == getattr(_PLAIN, name) and name != "weight":
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, tuple):
        return ", ".join(cells.as_code(one) for one in value)
    if isinstance(value, float):
        return repr(value) if value != int(value) else str(int(value))
    return cells.as_prose(str(value))


def last_row(lines: Iterable[Line]) -> tuple[int, Columns] | None:
    """The line of the last row of the last table that can hold goals, and its columns; None when there is no such table."""
    found: tuple[int, Columns] | None = None
    columns: Columns | None = None
    for block in _blocks(lines):
        at, named, _ = _header(block)
        columns = named if at else columns
        if columns is not None:
            found = (block[-1][0], columns)
    return found


def _blocks(lines: Iterable[Line]) -> Iterator[list[tuple[int, Row]]]:
    """Runs of table lines, without what stands between them."""
    block: list[tuple[int, Row]] = []
    for line, text in lines:
        if text.lstrip().startswith("|"):
            block.append((line, cells.split(text)))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _header(block: Sequence[tuple[int, Row]]) -> tuple[int, Columns | None, list[Problem]]:
    """How many lines the header takes, its columns, and what is to say about them; (0, None, []) when there is no header."""
    (line, row), *others = block
    titles = [cell.text.strip("*_` ").casefold() for cell in row.cells]
    ruled = bool(others) and others[0][1].separator
    if not (ruled or {"id", "check"} <= set(titles)):
        return 0, None, []
    taken = 2 if ruled else 1
    if doubled := next((title for title in KNOWN if titles.count(title) > 1), None):
        return taken, None, [Problem(line, f"the header names `{doubled}` twice; this table is not read", fatal=True)]
    places = {title: place for place, title in enumerate(titles) if title in KNOWN}
    named = "check" in places
    if not {"id", "check"} <= places.keys():
        # Upstream keeps its default order for words that it does not know (`Gate ID`, `Command`).
        for place, title in enumerate(_DEFAULT_ORDER):
            if title not in places and place < len(titles) and titles[place] not in KNOWN:
                places[title] = place
    missing = [title for title in ("id", "check") if title not in places]
    if missing:
        return taken, None, [Problem(line, f"the header has no column `{missing[0]}`; this table is not read", fatal=True)]
    return taken, Columns(places, len(titles), named), list(_unknown(line, titles, places))


def _unknown(line: int, titles: Sequence[str], places: dict[str, int]) -> Iterator[Problem]:
    for place, title in enumerate(titles):
        if title in KNOWN or not title:
            continue
        if place in places.values():
            taken_as = next(name for name, where in places.items() if where == place)
            yield Problem(line, f"column `{title}` is not known; by its place it is read as `{taken_as}`", fatal=False)
            continue
        near = difflib.get_close_matches(title, KNOWN, n=1)
        meant = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(KNOWN)}"
        yield Problem(line, f"column `{title}` is not known and is ignored; {meant}", fatal=False)


def _goal(line: int, row: Row, columns: Columns) -> tuple[Goal | None, list[Problem]]:
    """The goal of a row, or the one reason why it is not read."""
    try:
        return _understood(line, row, columns)
    except BadCell as bad:
        return None, [Problem(line, f"{bad}; this row is not read", fatal=True)]


def _understood(line: int, row: Row, columns: Columns) -> tuple[Goal, list[Problem]]:
    if len(row.cells) > columns.width:
        raise BadCell(
            f"there are {len(row.cells)} cells under {columns.width} titles; a pipe in a check needs backticks or `\\|`"
        )
    if len(row.cells) < columns.width and (row.joined or not row.closed):
        raise BadCell("the row ends early")
    goal_id = _required(columns.cell(row, "id"), "ID").text.strip("`")
    if not is_goal_id(goal_id):
        raise BadCell(f"the ID `{goal_id}` is not kebab-case (small letters, digits, single hyphens)")
    check_cell = _required(columns.cell(row, "check"), "Check")
    check = _of("Check", cells.command, check_cell)
    if not check_cell.code and not columns.named:
        raise BadCell("the Check is not in backticks and its column is not named so: it may be no command at all")
    weight, said = _weight(line, columns.cell(row, "weight"), bare=not check_cell.code)
    described = columns.cell(row, "description")
    empty = Cell()
    metric = (columns.cell(row, "metric") or empty).text.casefold().strip("-–— ")
    if metric and metric not in _METRICS:
        raise BadCell(f"the Metric is `{metric}` where `higher` or `lower` is meant")
    return Goal(
        id=goal_id,
        check=check,
        description=(described.text if described else "") or goal_id,
        weight=weight,
        line=line,
        fix=_of("Fix", cells.optional_command, columns.cell(row, "fix") or empty),
        inputs=_of("Inputs", cells.names, columns.cell(row, "inputs") or empty),
        volatile=_of("Volatile", cells.yes_or_no, columns.cell(row, "volatile") or empty),
        exclusive=_of("Exclusive", cells.yes_or_no, columns.cell(row, "exclusive") or empty),
        timeout=_of("Timeout", cells.seconds, columns.cell(row, "timeout") or empty),
        metric=metric or None,
        optimize=_of("Optimize", cells.names, columns.cell(row, "optimize") or empty),
        network=_of("Network", cells.yes_or_no, columns.cell(row, "network") or empty),
        tags=cells.tags(columns.cell(row, "tags") or empty),
        type=_of("Type", _type, columns.cell(row, "type") or empty),
        pillar=(columns.cell(row, "pillar") or empty).text,
        threshold=_threshold(columns.cell(row, "threshold") or empty, metric),
    ), said


def _type(cell: Cell) -> GoalType:
    text = cell.text.casefold()
    if text and text not in set(GoalType):
        raise BadCell(f"says `{cell.text}` where one of {', '.join(GoalType)} is meant")
    return GoalType(text) if text else GoalType.HEALTH


def _threshold(cell: Cell, metric: str) -> Threshold | None:
    """`80` or `coverage 80`: what is counted, and the number that the check must print at least (`lower`: at most)."""
    if not cell.text.strip("-–— "):
        return None
    name, _, last = cell.text.rpartition(" ")
    bound = number(last)
    if bound is None:
        raise BadCell(f"the Threshold is `{cell.text}` where a number is meant")
    return Threshold(name.strip(), bound, lower_is_better=metric == "lower")


def _required(cell: Cell | None, title: str) -> Cell:
    if cell is None or not cell.text:
        raise BadCell(f"the {title} is missing")
    return cell


def _of(title: str, read: Callable[[Cell], T], cell: Cell) -> T:
    """`read` with the column's title before its complaint."""
    try:
        return read(cell)
    except BadCell as bad:
        raise BadCell(f"the {title} {bad}") from None


def _weight(line: int, cell: Cell | None, *, bare: bool) -> tuple[int, list[Problem]]:
    """1 to 10; anything else is 5, as upstream has it, but said."""
    if cell is None or not cell.text:
        return DEFAULT_WEIGHT, []
    found = cells.weight(cell)
    if found is not None and 1 <= found <= 10:
        return found, []
    if found is None and bare:
        # `| a | make test | tail -1 |`: a pipe may have cut the command, and half of it must not run.
        raise BadCell(f"the Weight is `{cell.text}` after a check without backticks, which may be cut by a pipe")
    return DEFAULT_WEIGHT, [Problem(line, f"the weight `{cell.text}` is not 1 to 10; {DEFAULT_WEIGHT} is used", fatal=False)]
