"""`ao undo [SESSION]`."""

from __future__ import annotations

import click

from agentops.cli.opened import opened
from agentops.cli.voice import standard_out


@click.command()
@click.argument("session", required=False)
def command(session: str | None) -> None:
    """Put branch and files back to where a session started (the last one, if none is named), as one act that can be restored."""
    from agentops.app.undoing import undo_session

    named, done = undo_session(opened(to_work=True), session)
    voice = standard_out()
    voice.line(f"Session {named} is undone: {len(done.paths)} files put back, HEAD is {done.sha[:9]}.")
    if done.stayed:
        voice.line("Someone else changed these since; they stay as they are:")
        voice.lines(f"  {path}" for path in sorted(done.stayed))
    if done.saved:
        voice.line(f"What was there before is in {done.saved}.")
    voice.lines(f"note: {note}" for note in done.notes)
