"""What a goals file says, whichever of its two forms it has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agentops.core.fitness import Goal
from agentops.goals.directives import Directive
from agentops.goals.lines import Problem


class Format(StrEnum):
    """GOALS.md or GOALS.yaml."""

    MARKDOWN = "md"
    YAML = "yaml"


@dataclass(frozen=True, slots=True)
class GoalsDocument:
    """A goals file as read: `raw` are its bytes; `problems` are in the order of its lines.

    `version` is what upstream reports: 4 for Markdown, 1 to 3 for YAML. Directives and stars are Markdown's alone.
    """

    path: str
    mission: str
    goals: tuple[Goal, ...]
    problems: tuple[Problem, ...]
    raw: bytes
    directives: tuple[Directive, ...] = ()
    north_stars: tuple[str, ...] = ()
    anti_stars: tuple[str, ...] = ()
    format: Format = Format.MARKDOWN
    version: int = 4

    def of(self, goal_id: str) -> Goal | None:
        """The goal of that id."""
        return next((goal for goal in self.goals if goal.id == goal_id), None)
