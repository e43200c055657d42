"""`ao goals migrate`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import dry_run_option, file_option, json_option, write_json
from agentops.cli.voice import standard_out


@click.command()
@click.option("--to-md", is_flag=True, help="Write GOALS.md beside the YAML file; the YAML file stays.")
@file_option
@dry_run_option
@json_option
def command(to_md: bool, file: str | None, dry_run: bool, as_json: bool) -> None:
    """Bring a GOALS.yaml from version 1 to 2 (its old bytes stay as .v1.bak), or into the GOALS.md format."""
    from agentops.app.goal_making import migrate

    done = migrate(here(), dict(os.environ), file, to_md=to_md, dry_run=dry_run)
    if as_json:
        write_json({"done": list(done), "dry_run": dry_run})
    else:
        standard_out().lines(done)
