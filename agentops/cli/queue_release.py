"""`ao queue release`."""

from __future__ import annotations

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out


@click.command()
@click.argument("refs", metavar="REF…", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the items as they are now, as JSON.")
def command(refs: tuple[str, ...], as_json: bool) -> None:
    """Free an item, whatever holds it: a claim, that it failed, that it was consumed. It is tried again.

    REF may also be the target of a goal or directive that rests or is in quarantine.
    """
    from agentops.app.queue_desk import open_desk
    from agentops.views import queue as view

    desk = open_desk(here())
    freed = []
    for ref in refs:
        if desk.only_a_target(ref):
            desk.wake(ref)
            if not as_json:
                standard_out().line(f"{ref} may be tried again")
            continue
        item = desk.release(ref)
        freed.append(desk.find(item.ref))
        if not as_json:
            standard_out().line(f"{item.ref} {item.title}: {item.state} → {freed[-1].state}")
    if as_json:
        standard_out().write(view.items_json(tuple(freed)))
