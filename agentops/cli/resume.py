"""`ao resume`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
def command() -> None:
    """Go on after `ao pause`."""
    from agentops.app.stopping import resume

    standard_out().line(resume(opened()))
