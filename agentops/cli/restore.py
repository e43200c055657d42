"""`ao restore N`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
@click.argument("cycle", type=click.IntRange(min=1))
@click.option("--path", "paths", multiple=True, metavar="P", help="Only this file, put into the working tree; may be repeated.")
@click.option("--pre", is_flag=True, help="What was there before the cycle, instead of what it made.")
def command(cycle: int, paths: tuple[str, ...], pre: bool) -> None:
    """Bring back what cycle CYCLE made: on a new branch, or single files with --path (what stands there is saved first)."""
    from agentops.tree.restore import restore

    at = opened(to_work=True)
    done = restore(at.repository, at.git, at.clock, cycle, pre=pre, paths=paths)
    voice = standard_out()
    which = "before it" if pre else "as it left things"
    if done.branch:
        voice.line(f"Cycle {cycle}, {which}, is on the branch {done.branch}.")
        voice.line(f"  git diff HEAD...{done.branch}   ·   git merge {done.branch}")
    else:
        voice.lines(f"restored {path}" for path in sorted(done.paths))
        if done.saved:
            voice.line(f"What stood there before is in {done.saved}.")
    voice.lines(f"note: {note}" for note in done.notes)
