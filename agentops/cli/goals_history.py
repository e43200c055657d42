"""`ao goals history`."""

from __future__ import annotations

import os
from datetime import date

import click

from agentops.cli.door import here
from agentops.cli.goal_options import json_option, note, write_json
from agentops.cli.voice import standard_out


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day: write 2026-04-02") from None


@click.command()
@click.option("--goal", metavar="ID", help="What became of this goal, from the snapshots that are still there.")
@click.option("--since", type=_day, metavar="YYYY-MM-DD", help="Only measurements of this day (UTC) and later.")
@click.option("--file", hidden=True, expose_value=False)
@json_option
def command(goal: str | None, since: date | None, as_json: bool) -> None:
    """What earlier measurements came to, newest last. `ao goals measure` and `ao goals drift` add to it."""
    from agentops.app.comparing import history
    from agentops.views import goals as view

    found = history(here(), dict(os.environ), goal=goal, since=since)
    if found.bad_lines:
        note(f"{found.bad_lines} lines of the history could not be read and were passed over")
    if as_json:
        write_json(view.history_json(found))
    else:
        standard_out().show(view.history(found))
