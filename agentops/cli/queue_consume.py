"""`ao queue consume`."""

from __future__ import annotations

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out


@click.command()
@click.argument("refs", metavar="REF…", nargs=-1, required=True)
@click.option("--evidence", default="", metavar="TEXT", help="What shows that it is done.")
@click.option("--json", "as_json", is_flag=True, help="Print the items as they are now, as JSON.")
def command(refs: tuple[str, ...], evidence: str, as_json: bool) -> None:
    """Say that an item is done, or not wanted any more; nobody takes it again."""
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    desk = open_desk(here())
    done = []
    for ref in refs:
        item = desk.consume(ref, evidence)
        done.append(desk.find(item.ref))
        if not as_json:
            standard_out().line(f"{item.ref} {item.title}: {item.state} → {done[-1].state}")
    if as_json:
        standard_out().write(view.items_json(tuple(done)))
