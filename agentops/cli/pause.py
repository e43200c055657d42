"""`ao pause`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
def command() -> None:
    """Stand still at the end of the phase and hand the tree back, until `ao resume`. Working time stands still too."""
    from agentops.app.stopping import pause

    standard_out().line(pause(opened()))
