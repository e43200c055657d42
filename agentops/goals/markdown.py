"""GOALS.md: mission, stars, directives, and the Gates table. Pure.

Read are the mission (the first line of text under the first `# ` heading) and the first section of each title; a second
one is said, not read. Code fences and HTML comments are not read: a row that is shown or commented out must not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentops.goals.directives import parse_directives
from agentops.goals.lines import MarkdownLine, Problem, Section, read_lines, sections
from agentops.goals.model import GoalsDocument
from agentops.goals.table import parse_table

_BULLET = re.compile(r"\s*[-*]\s+(\S.*)")
_GOAL_BULLET = re.compile(r"\s*[-*]\s+\W{0,3}(check|command|weight)\b", re.IGNORECASE)
_GOAL_HEADING = re.compile(r"`?[a-z0-9]+(?:-[a-z0-9]+)*`?")


def parse_markdown(text: str, path: str, raw: bytes) -> GoalsDocument:
    """The document that a text says; its problems in the order of its lines."""
    lines, unended = read_lines(text)
    problems = [unended] if unended is not None else []
    gates, again = _section(lines, "gates")
    problems += again
    goals, said = parse_table(line.shown for line in gates.body(lines)) if gates is not None else ((), ())
    problems += said
    if gates is None:
        problems.append(_no_gates(lines))
    elif not goals and not any(problem.fatal for problem in problems):
        problems.append(Problem(lines[gates.start].number, "the `## Gates` section holds no goal", fatal=False))
    section, again = _section(lines, "directives")
    problems += again
    wanted = parse_directives(lines, section, frozenset(goal.id for goal in goals)) if section is not None else ((), ())
    problems += wanted[1]
    return GoalsDocument(
        path,
        _mission(lines),
        goals,
        tuple(sorted(problems, key=lambda problem: problem.line)),
        raw,
        directives=wanted[0],
        north_stars=_bullets(lines, "north stars"),
        anti_stars=_bullets(lines, "anti stars"),
    )


def _section(lines: Sequence[MarkdownLine], title: str) -> tuple[Section | None, list[Problem]]:
    """The first section of a title, and what is to say about others."""
    found = list(sections(lines, title))
    again = [
        Problem(lines[one.start].number, f"a second `## {title.capitalize()}` section is not read", fatal=True)
        for one in found[1:]
    ]
    return (found[0] if found else None), again


def _bullets(lines: Sequence[MarkdownLine], title: str) -> tuple[str, ...]:
    section = next(sections(lines, title), None)
    shown = (line.shown[1] for line in section.body(lines)) if section is not None else ()
    return tuple(found[1].strip() for text in shown if (found := _BULLET.match(text)))


def _mission(lines: Sequence[MarkdownLine]) -> str:
    """The first line of text between the first `# ` heading and the next heading."""
    after = False
    for line in lines:
        heading = line.heading
        if heading and after:
            return ""
        if heading:
            after = heading[0] == 1
        elif after and (text := line.shown[1].strip()):
            return text
    return ""


def _no_gates(lines: Sequence[MarkdownLine]) -> Problem:
    """Why there are no goals: usually no section, sometimes the bullet form that upstream's set-up page shows."""
    for at, line in enumerate(lines):
        level, title = line.heading or (0, "")
        if level == 2 and _GOAL_HEADING.fullmatch(title) and any(_GOAL_BULLET.match(text) for text in _until_heading(lines, at)):
            return Problem(
                line.number,
                f"`## {title}` with bullets looks like a goal, but goals are rows of a table under `## Gates`; it is not read",
                fatal=True,
            )
    return Problem(0, "there is no `## Gates` section, so there are no goals", fatal=False)


def _until_heading(lines: Sequence[MarkdownLine], at: int) -> Iterator[str]:
    for line in lines[at + 1 :]:
        if line.heading:
            return
        yield line.shown[1]
