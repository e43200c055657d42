"""`ao queue repair`."""

from __future__ import annotations

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out


@click.command()
@click.option("--write", is_flag=True, help="Do it; the old file is kept beside as .1.bak.")
@click.option(
    "--stale-hours",
    type=click.FloatRange(min=0),
    default=24.0,
    show_default=True,
    metavar="H",
    help="Free claims that are older.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what is wrong as JSON.")
def command(write: bool, stale_hours: float, as_json: bool) -> None:
    """Say what is wrong with the file, and mend it with --write. What can't be read is never removed."""
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    found = open_desk(here()).repair(write=write, stale_hours=stale_hours)
    if as_json:
        standard_out().write(view.repair_json(found, wrote=write))
    else:
        standard_out().show(view.repaired(found, wrote=write))
