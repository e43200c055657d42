"""`ao goals init`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agentops.cli.door import here
from agentops.cli.goal_options import dry_run_option, json_option, write_json
from agentops.cli.voice import standard_error, standard_out

if TYPE_CHECKING:
    from agentops.app.goal_making import Wishes

TEMPLATES = ("go-cli", "python-lib", "web-app", "rust-cli", "generic")


@click.command()
@click.option("--non-interactive", is_flag=True, help="Ask nothing.")
@click.option("--template", type=click.Choice(TEMPLATES), help="Default: what the files here look like.")
@click.option("--file", metavar="FILE", help="Write here instead of GOALS.md.")
@dry_run_option
@json_option
def command(non_interactive: bool, template: str | None, file: str | None, dry_run: bool, as_json: bool) -> None:
    """Write a first GOALS.md: gates for the tests, linters and formatters that this repository itself has set up."""
    from agentops.app.goal_making import Wishes, init, refuse_second
    from agentops.goals.templates import Template
    from agentops.views.goals import directives_json

    cwd = here()
    refuse_second(cwd, file)  # before anybody types answers
    asked = not (non_interactive or as_json or dry_run) and sys.stdin is not None and sys.stdin.isatty()
    wishes = _asked() if asked and standard_error().is_terminal else Wishes()
    made = init(cwd, file, template=Template(template) if template else None, wishes=wishes, dry_run=dry_run)
    if as_json:
        goals = [
            {"id": goal.id, "description": goal.description, "check": goal.check, "weight": goal.weight} for goal in made.goals
        ]
        write_json(
            {
                "path": made.path,
                "template": str(made.template),
                "mission": made.mission,
                "directives": directives_json(made.directives),
                "goals": goals,
                "dry_run": dry_run,
            }
        )
        return
    out = standard_out()
    if dry_run:
        out.line(f"would write {made.path}:\n")
        out.write(made.text)
        return
    out.line(f"created {made.path} with {len(made.goals)} gates ({made.template}): ao goals measure")


def _asked() -> Wishes:
    """The answers of a person at a terminal."""
    from agentops.app.goal_making import Wishes as Said

    def words(text: str) -> tuple[str, ...]:
        return tuple(one.strip() for one in text.split(",") if one.strip())

    def ask(text: str) -> str:
        answer: str = click.prompt(text, default="", show_default=False, err=True)
        return " ".join(answer.split())

    return Said(
        mission=ask("Mission (one sentence)"),
        north_stars=words(ask("North stars (separated by commas)")),
        anti_stars=words(ask("Anti stars (separated by commas)")),
        directive=ask("First directive, its title"),
        description=ask("First directive, what it means"),
    )
