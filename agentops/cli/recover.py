"""`ao recover`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
@click.option("--keep", is_flag=True, help="Leave everything as it is now, and let work go on.")
@click.option("--take-back", is_flag=True, help="Take back what the cycle changed; what was changed after it stays.")
@click.option("--show", is_flag=True, help="Only show what there is to decide.")
def command(keep: bool, take_back: bool, show: bool) -> None:
    """Decide what becomes of a cycle that a crash cut off, when files were changed after that."""
    if keep + take_back + show > 1:
        raise click.UsageError("--keep, --take-back and --show are three answers: choose one")
    from agentops.app.recovering import recover

    voice = standard_out()
    said = recover(opened(), keep=keep, show=show or not (keep or take_back), say=voice.line)
    if said:
        voice.lines(said.rstrip("\n").split("\n"))
