"""`ao goals drift`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import file_option, json_option, note, timeout_option, write_json
from agentops.cli.progress import watching
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode


@click.command()
@file_option
@timeout_option
@json_option
@click.option(
    "--against",
    default="last",
    show_default=True,
    metavar="last|era|FILE",
    help="Compare with the last measurement, the baseline of this goals file's era, or a snapshot file.",
)
@click.option("--strict", is_flag=True, help="Exit 3 when a goal regressed.")
def command(file: str | None, timeout: float, as_json: bool, against: str, strict: bool) -> int:
    """Measure the goals, and say what moved since they were measured last.

    A goal that passed and is gone, or that is new and fails, counts as regressed; one that could not be measured does not.
    """
    from agentops.app.comparing import drift
    from agentops.goals.drift import regressed
    from agentops.views import goals as view

    with watching(quiet=as_json) as watch:
        found = drift(here(), dict(os.environ), file=file, timeout=timeout, against=against, watch=watch, on_problem=note)
    if as_json:
        if found.before is None:
            note(view.NO_BASELINE)
        write_json(view.drift_json(found.moved))
    else:
        standard_out().show(view.drift(found))
    return ExitCode.STRICT if strict and regressed(found.moved) else ExitCode.PLANNED
