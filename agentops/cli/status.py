"""`ao status`."""

from __future__ import annotations

import os

import click

from agentops.cli.opened import now, opened
from agentops.cli.voice import standard_out


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(as_json: bool) -> None:
    """What is running here, what it is doing, and what waits for you."""
    from agentops.views import as_json as json_view
    from agentops.views import status as view

    at = opened()
    found = view.look(at.state, at.agents, os.environ)
    if as_json:
        standard_out().write(json_view.status(found))
    else:
        standard_out().show(view.blocks(found, now()))
