"""`ao script check-wiring`, called by `scripts/check-wiring-closure.sh`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.script import Script
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode


@click.command(cls=Script)
@click.option("--repo-root", metavar="DIR", help="The repository to look at; the one that this is called in.")
def command(repo_root: str | None) -> int:
    """Exit 1, a line each, when goals, CI, make or hooks name a script that is not there, or nothing calls a check script."""
    from agentops.app.roots import root_of
    from agentops.app.wiring import open_ends

    found = open_ends(root_of(here(), dict(os.environ), repo_root))
    standard_out().lines(found.wrong or [f"wiring is closed: {found.named} names of scripts, all there"])
    return ExitCode.UNEXPECTED if found.wrong else ExitCode.PLANNED
