"""`ao history`."""

from __future__ import annotations

import os
import shlex

import click

from agentops.cli.opened import now, opened
from agentops.cli.voice import standard_out
from agentops.core.errors import EnvironmentUnusable


@click.command()
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many rows.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON Lines, under the ledger's keys.")
def command(limit: int, as_json: bool) -> None:
    """The last rows of the ledger, newest last."""
    from agentops.records import rows
    from agentops.views import as_json as json_view
    from agentops.views import history as view

    path = os.path.join(opened().agents, "evolve", "cycle-history.jsonl")
    try:
        # some 500 bytes a row, read from the end: the ledger may be years long
        seen = rows.tail(path, max(rows.TAIL_BYTES, limit * 1024))
    except OSError as broken:
        raise EnvironmentUnusable(f"{path}: {broken.strerror}", mend=f"ls -ld {shlex.quote(path)}") from broken
    if as_json:
        standard_out().write(json_view.history(seen.rows[-limit:]))
    else:
        standard_out().show(view.blocks(seen, limit, now()))
