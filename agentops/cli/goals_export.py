"""`ao goals export`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import file_option, note, timeout_option, write_json
from agentops.cli.progress import watching


@click.command()
@file_option
@timeout_option
@click.option("--json", "as_json", is_flag=True, hidden=True, expose_value=False)
def command(file: str | None, timeout: float) -> None:
    """Print the last measurement as JSON; measure first when there is none."""
    from agentops.app.comparing import export
    from agentops.records import fitness_file

    with watching(quiet=True) as watch:
        found = export(here(), dict(os.environ), file=file, timeout=timeout, watch=watch, on_problem=note)
    write_json(fitness_file.as_plain(found))
