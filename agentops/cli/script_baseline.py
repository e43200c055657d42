"""`ao script capture-baseline`, called by `scripts/evolve-capture-baseline.sh`."""

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
@click.option("--label", metavar="NAME", help="Folder of the baseline; else the era of the goals file, `goals-<hash>`.")
@click.option("--output-dir", default=".agents/evolve/fitness-baselines", show_default=True, metavar="DIR")
@click.option("--force", is_flag=True, help="Also where the folder has a baseline already.")
@click.option("--legacy-path", metavar="FILE", help="Write the snapshot to this file as well.")
@click.option("--active-path", metavar="FILE", help="Write the snapshot's path into this file.")
@click.option("--index-path", metavar="FILE", help="Append a row about the snapshot to this JSON Lines file.")
@click.option("--timeout", type=kinds.seconds, default="60", show_default=True, metavar="SECONDS", help="Limit of one check.")
@click.option(
    "--total-timeout", type=kinds.seconds, default="75", show_default=True, metavar="SECONDS", help="Limit of the whole."
)
@click.option("--repo-root", metavar="DIR", help="Where checks run and from where paths count; the repository's top.")
@click.option("--file", metavar="FILE", help="This goals file instead of the one at the root.")
def command(
    label: str | None,
    output_dir: str,
    force: bool,
    legacy_path: str | None,
    active_path: str | None,
    index_path: str | None,
    timeout: float,
    total_timeout: float,
    repo_root: str | None,
    file: str | None,
) -> int:
    """Measure the goals as the baseline of an era, and print the snapshot's path below the root."""
    from agentops.app.script_measuring import Copies, capture

    copies = Copies(legacy=legacy_path, active=active_path, index=index_path)
    path = capture(
        here(),
        dict(os.environ),
        label=label,
        folder=output_dir,
        force=force,
        copies=copies,
        root=repo_root,
        file=file,
        timeout=timeout,
        total_timeout=total_timeout,
        note=note,
    )
    standard_out().line(path)
    return ExitCode.PLANNED
