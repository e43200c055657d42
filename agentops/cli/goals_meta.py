"""`ao goals meta`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import file_option, json_option, note, timeout_option, write_json
from agentops.cli.progress import watching
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode
from agentops.core.fitness import GoalOutcome


@click.command()
@file_option
@timeout_option
@json_option
@click.option("--strict", is_flag=True, help="Exit 3 when one of them fails.")
def command(file: str | None, timeout: float, as_json: bool, strict: bool) -> int:
    """Measure the goals of type `meta` alone: those that watch whether the other goals mean anything."""
    from agentops.app.comparing import meta
    from agentops.records import fitness_file
    from agentops.views import goals as view

    with watching(quiet=as_json) as watch:
        found = meta(here(), dict(os.environ), file=file, timeout=timeout, watch=watch, on_problem=note)
    if as_json:
        write_json(fitness_file.as_plain(found))
    else:
        standard_out().show(view.meta(found))
    failing = any(one.outcome is GoalOutcome.FAIL for one in found.goals)
    return ExitCode.STRICT if strict and failing else ExitCode.PLANNED
