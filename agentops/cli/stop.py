"""`ao stop`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
@click.option("--after-cycle", is_flag=True, help="Let the running cycle end first.")
@click.option("--clear", is_flag=True, help="Remove the stop file, so that work may start again.")
def command(after_cycle: bool, clear: bool) -> None:
    """End the running session. Its work so far is saved and taken back; nothing is lost."""
    if after_cycle and clear:
        raise click.UsageError("--after-cycle and --clear mean different things: choose one")
    from agentops.app.stopping import stop

    standard_out().line(stop(opened(), after_cycle=after_cycle, clear=clear))
