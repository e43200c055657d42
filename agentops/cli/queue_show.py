"""`ao queue show`."""

from __future__ import annotations

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out


@click.command()
@click.argument("ref")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(ref: str, as_json: bool) -> None:
    """Everything that is known of an item."""
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    item = open_desk(here()).find(ref)
    if as_json:
        standard_out().write(view.item_json(item))
    else:
        standard_out().show(view.one(item))
