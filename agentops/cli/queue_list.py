"""`ao queue list`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out


@click.command()
@click.option("--all", "everything", is_flag=True, help="Every item in the order of the file, done ones too.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="How many items.")
@click.option(
    "--repo-filter", metavar="NAME", help="Whose items; default queue.repo, else this repository's, '' for everybody's."
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(everything: bool, limit: int, repo_filter: str | None, as_json: bool) -> None:
    """What is free, in the order in which the loop takes it; what is passed over, and why."""
    from agentops.app.configuring import configuration
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    desk, out = open_desk(here()), standard_out()
    if everything:
        every = desk.everything()
        if as_json:
            out.write(view.items_json(every[:limit]))
        else:
            out.show(view.every(every, limit))
        return
    at = here()
    found = desk.ranking(repo_filter if repo_filter is not None else configuration(at, os.environ).tables.queue.repo)
    if as_json:
        out.write(view.ranking_json(found, limit))
    else:
        out.show(view.blocks(found, limit))
