"""Editing a goals file: what changes is asked of it again, and every byte that it does not touch stays. Pure.

Each edit is proven before it is handed out: the new bytes are read, and must say exactly what was meant. A file that is
written in a way that we do not know is left alone rather than damaged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from agentops.core.errors import UsageError
from agentops.core.fitness import Goal
from agentops.goals.directives import Directive, blocks, numbered
from agentops.goals.document import parse
from agentops.goals.lines import MarkdownLine, read_lines, sections
from agentops.goals.model import Format, GoalsDocument
from agentops.goals.pieces import Pieces, split
from agentops.goals.table import Columns, last_row, render_table, shown

_NUMBER = re.compile(r"( {0,3}###\s+)[0-9]+(?=\.)")
_PIPE = re.compile(r"(?<!\\)\|")


class CannotEdit(UsageError):
    """This goals file is written in a way that cannot be edited without touching more than was asked."""

    mend = "edit it by hand, then: ao goals validate"


def with_goal(document: GoalsDocument, goal: Goal) -> bytes:
    """The file's bytes with one more goal, after the others. Raises CannotEdit."""
    if document.of(goal.id) is not None:
        raise CannotEdit(f"goal `{goal.id}` is there already, on line {document.goals[_at(document, goal.id)].line}")
    if document.format is Format.YAML:
        from agentops.goals.yaml_editing import add

        raw = add(document, goal)
    else:
        raw = _with_row(document, goal)
    return _proven(document, raw, goals=(*document.goals, goal))


def without_goals(document: GoalsDocument, ids: Collection[str]) -> bytes:
    """The file's bytes without these goals. Raises CannotEdit."""
    gone = [goal for goal in document.goals if goal.id in ids]
    if document.format is Format.YAML:
        from agentops.goals.yaml_editing import remove

        raw = remove(document, gone)
    else:
        pieces = split(document.raw)
        for goal in sorted(gone, key=lambda goal: -goal.line):
            pieces = pieces.without(goal.line - 1, goal.line)
        raw = pieces.raw
    return _proven(document, raw, goals=tuple(goal for goal in document.goals if goal not in gone))


def with_directive(document: GoalsDocument, directive: Directive) -> bytes:
    """The file's bytes with one more directive, after the others. Raises CannotEdit."""
    pieces, lines = _lines(document)
    block = [f"### {directive.number}. {directive.title}", "", *directive.description.split("\n"), ""]
    block = [*(block if directive.description else block[:2]), f"**Steer:** {directive.steer}"]
    section = next(sections(lines, "directives"), None)
    if section is not None:
        at = _content_end(lines, section.start, section.end)
        raw = pieces.inserted(at, ["", *block]).raw
    else:
        gates = next(sections(lines, "gates"), None)
        whole = ["## Directives", "", *block]
        raw = (pieces.inserted(gates.start, [*whole, ""]) if gates else _appended(pieces, whole)).raw
    return _proven(document, raw, directives=(*document.directives, directive))


def without_directive(document: GoalsDocument, at: int) -> bytes:
    """The file's bytes without the directive of that place in the list, the others numbered from 1. Raises CannotEdit."""
    pieces, lines = _lines(document)
    found = blocks(lines, next(sections(lines, "directives")))
    start, end = found[at]
    if at == len(found) - 1:
        # the blank lines behind the last block part the section from what follows; those before it go instead
        end = _content_end(lines, start, end)
        while start > found[0][0] and not lines[start - 1].text.strip():
            start -= 1
    kept = tuple(one for place, one in enumerate(document.directives) if place != at)
    return _renumbered(document, pieces.without(start, end), kept)


def with_directive_at(document: GoalsDocument, at: int, to: int) -> bytes:
    """The file's bytes with one directive at another place of the list, all numbered from 1. Raises CannotEdit."""
    pieces, lines = _lines(document)
    found = blocks(lines, next(sections(lines, "directives")))
    bodies = [pieces.lines[start : _content_end(lines, start, end)] for start, end in found]
    gaps = [pieces.lines[_content_end(lines, start, end) : end] for start, end in found]
    bodies.insert(to, bodies.pop(at))
    moved = [line for body, gap in zip(bodies, gaps, strict=True) for line in (*body, *gap)]
    whole = [*pieces.lines[: found[0][0]], *moved, *pieces.lines[found[-1][1] :]]
    whole = [(text, end or (pieces.ending if place < len(whole) - 1 else "")) for place, (text, end) in enumerate(whole)]
    order = list(document.directives)
    order.insert(to, order.pop(at))
    return _renumbered(document, Pieces(pieces.bom, tuple(whole)), tuple(order))


def _renumbered(document: GoalsDocument, pieces: Pieces, order: Sequence[Directive]) -> bytes:
    """Headings numbered from 1; those that have their number already keep their bytes."""
    lines, _ = read_lines(pieces.text)
    section = next(sections(lines, "directives"))
    for number, (start, _) in enumerate(blocks(lines, section), start=1):
        if (found := numbered(lines[start])) is not None and found[0] != number:
            pieces = pieces.replaced(start, _NUMBER.sub(rf"\g<1>{number}", lines[start].text))
    return _proven(document, pieces.raw, directives=tuple(replace(one, number=n) for n, one in enumerate(order, start=1)))


def _with_row(document: GoalsDocument, goal: Goal) -> bytes:
    pieces, lines = _lines(document)
    section = next(sections(lines, "gates"), None)
    if section is None:
        return _appended(pieces, ["## Gates", "", *render_table([goal]).splitlines()]).raw
    table = last_row(line.shown for line in section.body(lines))
    if table is None:
        at = _content_end(lines, section.start, section.end)
        return pieces.inserted(at, ["", *render_table([goal]).splitlines()]).raw
    number, columns = table
    return pieces.inserted(number, [_row(goal, columns, lines[number - 1].text, lines[number - 2].text)]).raw


def _row(goal: Goal, columns: Columns, neighbour: str, above: str) -> str:
    """The row under these titles; in a table whose pipes stand under each other, so do its own where its cells are short."""
    names = {place: name for name, place in columns.places.items()}
    cells = [shown(goal, names[place]) if place in names else "" for place in range(columns.width)]
    pipes = [found.start() for found in _PIPE.finditer(neighbour)]
    indent = neighbour[: len(neighbour) - len(neighbour.lstrip())]
    if len(pipes) == columns.width + 1 and pipes == [found.start() for found in _PIPE.finditer(above)]:
        widths = [right - left - 3 for left, right in pairwise(pipes)]
        cells = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return f"{indent}| {' | '.join(cells)} |"


def _appended(pieces: Pieces, new: list[str]) -> Pieces:
    """With a new section at the end, one blank line before it."""
    if pieces.lines[-1][0]:  # the file does not end with a line break
        return pieces.inserted(len(pieces.lines), ["", *new])
    gap = [] if len(pieces.lines) > 1 and not pieces.lines[-2][0].strip() else [""]
    return pieces.inserted(len(pieces.lines) - 1, [*gap, *new])


def _lines(document: GoalsDocument) -> tuple[Pieces, tuple[MarkdownLine, ...]]:
    pieces = split(document.raw)
    return pieces, read_lines(pieces.text)[0]


def _content_end(lines: Sequence[MarkdownLine], start: int, end: int) -> int:
    """Where the blank lines begin that a block ends with."""
    while end > start + 1 and not lines[end - 1].text.strip():
        end -= 1
    return end


def _at(document: GoalsDocument, goal_id: str) -> int:
    return next(place for place, goal in enumerate(document.goals) if goal.id == goal_id)


def _proven(
    document: GoalsDocument,
    raw: bytes,
    goals: Sequence[Goal] | None = None,
    directives: Sequence[Directive] | None = None,
) -> bytes:
    """The bytes, if they say what was meant and nothing else changed. Raises CannotEdit."""
    found = parse(raw, document.path)
    wanted = document.goals if goals is None else goals
    steered = document.directives if directives is None else directives
    same = (
        [replace(goal, line=0) for goal in found.goals] == [replace(goal, line=0) for goal in wanted]
        and [replace(one, line=0) for one in found.directives] == [replace(one, line=0) for one in steered]
        and (found.mission, found.north_stars, found.anti_stars, found.version)
        == (document.mission, document.north_stars, document.anti_stars, document.version)
    )
    if not same:
        raise CannotEdit(f"{document.path} is written in a way in which this change would say something else")
    return raw
