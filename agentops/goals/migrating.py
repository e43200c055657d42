"""GOALS.yaml as GOALS.md: every goal with all that it says, in columns that the original's command passes over. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentops.core.errors import UsageError
from agentops.core.fitness import Goal
from agentops.goals.directives import Directive
from agentops.goals.document import parse
from agentops.goals.model import GoalsDocument
from agentops.goals.table import render_table

MISSION = "Project fitness goals"


def to_markdown(document: GoalsDocument) -> str:
    """The text of a GOALS.md that says the same. Raises UsageError for what a table cannot say, or was not read."""
    lost = [f"line {one.line}: {one.text}" for one in document.problems if one.fatal]
    lost += [f"goal {goal.id}: {goal.unclear}" for goal in document.goals if goal.unclear]
    if lost:
        raise UsageError(f"{document.path} holds what would be lost: {lost[0]}", mend=f"ao goals validate --file {document.path}")
    goals = [replace(goal, check=one_line(goal.check), description=" ".join(goal.description.split())) for goal in document.goals]
    mission = " ".join(document.mission.split()) or MISSION
    text = page(mission, directives_of(goals), goals)
    found = parse(text.encode(), "GOALS.md")
    if [replace(goal, line=0) for goal in found.goals] != [replace(goal, line=0) for goal in goals]:
        ids = sorted({goal.id for goal in goals} - {goal.id for goal in found.goals}) or [goal.id for goal in goals]
        raise UsageError(f"goal `{ids[0]}` cannot be written as a row of a table", mend="shorten it, or keep GOALS.yaml")
    return text


def page(
    mission: str, directives: Sequence[Directive], goals: Sequence[Goal], stars: Sequence[tuple[str, Sequence[str]]] = ()
) -> str:
    """A GOALS.md. `stars`: titles such as `North Stars`, each with its bullets."""
    parts = ["# Goals", mission]
    for title, bullets in stars:
        if bullets:
            parts += [f"## {title}", "\n".join(f"- {bullet}" for bullet in bullets)]
    if directives:
        parts.append("## Directives")
    for one in directives:
        parts += [f"### {one.number}. {one.title}", one.description, f"**Steer:** {one.steer}"]
    parts += ["## Gates", render_table(goals).rstrip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def directives_of(goals: Sequence[Goal]) -> tuple[Directive, ...]:
    """One directive for each pillar, in the order of the goals: pillars are what directives were before there were any."""
    pillars = dict.fromkeys(goal.pillar for goal in goals if goal.pillar)
    return tuple(
        Directive(number, f"Strengthen {pillar}", f"Make the goals of the pillar {pillar} pass, and keep them so.", "increase")
        for number, pillar in enumerate(pillars, start=1)
    )


def one_line(check: str) -> str:
    """The same command on one line: a table's cell has no second one, and joining lines with `;` would change what they do."""
    if len(check.splitlines()) < 2 and check.isprintable():
        return check
    escaped = "".join(_escaped(letter) for letter in check)
    return f"eval $'{escaped}'"


def _escaped(letter: str) -> str:
    if letter in "\\'":
        return f"\\{letter}"
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(letter, letter)
