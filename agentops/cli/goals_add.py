"""`ao goals add`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import dry_run_option, file_option, json_option, note, timeout_option, write_json
from agentops.cli.progress import watching
from agentops.cli.voice import standard_out
from agentops.core.fitness import Goal, GoalType


@click.command()
@click.argument("goal_id", metavar="ID")
@click.argument("check")
@click.option("--weight", type=click.IntRange(1, 10), default=5, show_default=True, help="How much it counts.")
@click.option("--description", default="", metavar="TEXT", help="For people, and for whoever works on it; default the id.")
@click.option("--type", "kind", type=click.Choice([str(one) for one in GoalType]), default="health", show_default=True)
@click.option("--force", is_flag=True, help="Do not run the check: add a goal that fails now.")
@file_option
@timeout_option
@dry_run_option
@json_option
def command(
    goal_id: str,
    check: str,
    weight: int,
    description: str,
    kind: str,
    force: bool,
    file: str | None,
    timeout: float,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add a goal to the goals file, once its check passes. Every byte of the file that is not the goal's stays as it is."""
    from agentops.app.goal_editing import add
    from agentops.goals.model import Format

    goal = Goal(goal_id, check.strip(), " ".join(description.split()) or goal_id, weight, type=GoalType(kind))
    with watching(quiet=as_json) as watch:
        opened = add(here(), dict(os.environ), file, goal, timeout=timeout, check=not force, dry_run=dry_run, watch=watch)
    if as_json:
        plain = {"id": goal.id, "description": goal.description, "check": goal.check, "weight": goal.weight, "type": kind}
        write_json({**plain, "dry_run": dry_run})
        return
    if opened.document.format is Format.MARKDOWN and kind != GoalType.HEALTH and not dry_run:
        note("the type stands in a column `Type`, which the original command does not read")
    standard_out().line(f"{'would add' if dry_run else 'added'} goal {goal.id} (weight {goal.weight}) to {opened.document.path}")
