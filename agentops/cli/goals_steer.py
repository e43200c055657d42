"""`ao goals steer add|remove|prioritize`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import dry_run_option, file_option, json_option, write_json
from agentops.cli.voice import standard_out
from agentops.goals.directives import STEERS, Directive


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Add, remove and order the directives of GOALS.md. `ao goals measure --directives` lists them."""


@command.command()
@click.argument("title")
@click.option("--description", required=True, metavar="TEXT", help="What it means, for whoever works on it.")
@click.option("--steer", type=click.Choice(STEERS), default="increase", show_default=True)
@file_option
@dry_run_option
@json_option
def add(title: str, description: str, steer: str, file: str | None, dry_run: bool, as_json: bool) -> None:
    """Add a directive behind the others."""
    from agentops.app.goal_editing import steer_add
    from agentops.views.goals import directives_json

    wanted = Directive(0, " ".join(title.split()), description.strip(), steer)
    made = steer_add(here(), dict(os.environ), file, wanted, dry_run=dry_run)
    if as_json:
        write_json(directives_json((made,))[0])
    else:
        standard_out().line(f"{'would add' if dry_run else 'added'} directive {made.number}: {made.title} (steer: {made.steer})")


@command.command()
@click.argument("number", type=int)
@file_option
@dry_run_option
@json_option
def remove(number: int, file: str | None, dry_run: bool, as_json: bool) -> None:
    """Remove a directive; the others are numbered anew."""
    from agentops.app.goal_editing import steer_remove

    left = steer_remove(here(), dict(os.environ), file, number, dry_run=dry_run)
    _tell(left, f"{'would remove' if dry_run else 'removed'} directive {number}; {len(left)} are left", as_json)


@command.command()
@click.argument("number", type=int)
@click.argument("position", type=int)
@file_option
@dry_run_option
@json_option
def prioritize(number: int, position: int, file: str | None, dry_run: bool, as_json: bool) -> None:
    """Move a directive to another place; all are numbered anew."""
    from agentops.app.goal_editing import steer_prioritize

    order = steer_prioritize(here(), dict(os.environ), file, number, position, dry_run=dry_run)
    title = order[position - 1].title
    _tell(order, f"{'would move' if dry_run else 'moved'} “{title}” to place {position}", as_json)


def _tell(directives: tuple[Directive, ...], text: str, as_json: bool) -> None:
    from agentops.views.goals import directives_json

    if as_json:
        write_json(directives_json(directives))
        return
    standard_out().line(text)
    standard_out().lines(f"  {one.number}. {one.title}   {one.steer}" for one in directives)
