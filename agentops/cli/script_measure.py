"""`ao script measure-fitness`, called by `scripts/evolve-measure-fitness.sh`."""

from __future__ import annotations

import os

import click

from agentops.cli import kinds
from agentops.cli.door import here
from agentops.cli.goal_options import note
from agentops.cli.script import Script
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode


@click.command(cls=Script)
@click.option("--output", required=True, metavar="FILE", help="The snapshot; replaced as one act, or left as it is.")
@click.option("--timeout", type=kinds.seconds, default="60", show_default=True, metavar="SECONDS", help="Limit of one check.")
@click.option(
    "--total-timeout",
    type=kinds.seconds,
    default="75",
    show_default=True,
    metavar="SECONDS",
    help="Limit of the whole; what is left then is skipped.",
)
@click.option("--repo-root", metavar="DIR", help="Where checks run and from where FILE counts; the repository's top.")
@click.option("--goal", metavar="ID", help="Only this goal.")
@click.option("--file", metavar="FILE", help="This goals file instead of the one at the root.")
def command(output: str, timeout: float, total_timeout: float, repo_root: str | None, goal: str | None, file: str | None) -> int:
    """Measure the goals into a snapshot file, and print its absolute path. Exits 1 when that was not possible."""
    from agentops.app.script_measuring import measure_into

    path = measure_into(
        output,
        here(),
        dict(os.environ),
        root=repo_root,
        goal=goal,
        file=file,
        timeout=timeout,
        total_timeout=total_timeout,
        note=note,
    )
    standard_out().line(path)
    return ExitCode.PLANNED
