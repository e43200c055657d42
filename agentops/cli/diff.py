"""`ao diff N`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
@click.argument("cycle", type=click.IntRange(min=1))
def command(cycle: int) -> None:
    """What cycle CYCLE changed, also when it was taken back."""
    from agentops.evolve.own_files import BASELINES
    from agentops.tree.difference import difference

    at = opened()
    text = difference(at.repository, at.git, cycle, ours=lambda path: path.startswith(BASELINES))
    voice = standard_out()
    voice.lines(text.rstrip("\n").split("\n") if text.strip() else (f"Cycle {cycle} changed nothing.",))
