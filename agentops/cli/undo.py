"""`ao undo [SESSION]`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out
from agentops.core.errors import LeaseHeld, UsageError


@click.command()
@click.argument("session", required=False)
def command(session: str | None) -> None:
    """Put branch and files back to where a session started (the last one, if none is named), as one act that can be restored."""
    from agentops.evolve.journal import read_state
    from agentops.host.holders import holder
    from agentops.tree.undo import undo

    at = opened(to_work=True)
    held = holder(at.lock)
    if held is not None:
        raise LeaseHeld(f"a session is running (pid {held.pid} on {held.host}); end it before you undo one", mend="ao stop")
    named = session or read_state(at.journal).session
    if not named:
        raise UsageError("no session has run here, so there is nothing to undo", mend="ao history")
    done = undo(at.repository, at.git, at.clock, named)
    voice = standard_out()
    voice.line(f"Session {named} is undone: {len(done.paths)} files put back, HEAD is {done.sha[:9]}.")
    if done.stayed:
        voice.line("Someone else changed these since; they stay as they are:")
        voice.lines(f"  {path}" for path in sorted(done.stayed))
    if done.saved:
        voice.line(f"What was there before is in {done.saved}.")
    voice.lines(f"note: {note}" for note in done.notes)
