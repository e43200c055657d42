"""`ao undo`: which session, and whether this is the moment; the tree does the rest."""

from __future__ import annotations

from agentops.app.lease import lease
from agentops.app.opening import Here
from agentops.core.errors import Contested, LeaseHeld, UsageError
from agentops.evolve.journal import read_state
from agentops.host.holders import holder
from agentops.tree.undo import Undone, undo


def undo_session(here: Here, named: str | None) -> tuple[str, Undone]:
    """Undo the named session, else the last one; its name and what was done. Raises LeaseHeld while one runs."""
    held = holder(here.lock)
    if held is not None:
        raise LeaseHeld(f"a session is running (pid {held.pid} on {held.host}); end it before you undo one", mend="ao stop")
    state = read_state(here.journal)
    session = named or state.session
    if not session:
        raise UsageError("no session has run here, so there is nothing to undo", mend="ao history")
    if state.open is not None:
        why = f"cycle {state.open.cycle} was cut off and is not settled yet; undoing around it would guess what is whose"
        raise Contested(why, mend="ao evolve   (it settles the cycle first)   ·   ao recover --show")
    with lease(here, f"{session}.undo"):
        return session, undo(here.repository, here.git, here.clock, session)
