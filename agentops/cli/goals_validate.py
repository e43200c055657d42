"""`ao goals validate`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import file_option, json_option, write_json
from agentops.cli.progress import watching
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode


@click.command()
@file_option
@json_option
@click.option("--strict", is_flag=True, help="Exit 3 when the file is invalid; with --falsify also for a vacuous goal.")
@click.option("--falsify", is_flag=True, help="Also run each check on an empty tree, and name those that pass there.")
def command(file: str | None, as_json: bool, strict: bool, falsify: bool) -> int:
    """Say whether the goals file is as it should be: every row understood, every script there, directives that steer.

    Exits 0 whatever it finds, 2 when the file cannot be read at all.
    """
    from agentops.app.goal_files import validated
    from agentops.views import goals as view

    found = validated(here(), dict(os.environ), file)
    vacuous: tuple[str, ...] = ()
    if falsify and found.format:
        from agentops.app.falsifying import falsified

        with watching(quiet=as_json) as watch:
            found, seen = falsified(here(), dict(os.environ), file, found, watch)
        vacuous = seen.vacuous
    if as_json:
        write_json(view.validation_json(found) | ({"vacuous": list(vacuous)} if falsify else {}))
    else:
        standard_out().show(view.validation(found))
    if not found.format:
        return ExitCode.USAGE
    return ExitCode.STRICT if strict and (vacuous or not found.valid) else ExitCode.PLANNED
