"""`ao recover`: a person's answer to a cycle that a crash cut off and that was left alone."""

from __future__ import annotations

import os
from collections.abc import Callable

from agentops.app.building import build
from agentops.app.lease import lease
from agentops.app.opening import Here
from agentops.core.errors import UsageError
from agentops.core.journals import InFlight
from agentops.evolve.journal import FileJournal, read_state
from agentops.evolve.recovery import SLACK_SECONDS, answer
from agentops.host.signals import Signals
from agentops.policy.settings import Settings


def recover(here: Here, *, keep: bool, take_back: bool, show: bool, say: Callable[[str], None]) -> str:
    """Show what there is to decide, or carry out the answer. Touches nothing without `keep` or `take_back`."""
    path = here.journal
    state = read_state(path)
    flight = state.open
    if flight is None:
        return "no cycle was cut off here; there is nothing to decide"
    if not flight.asked and not show:
        raise UsageError(
            f"cycle {flight.cycle} was cut off, and nobody has changed anything after it as far as is known",
            mend="ao evolve   (it puts the tree in order by itself)   ·   ao recover --show",
        )
    session = state.session or flight.run
    with lease(here, f"{session}.recover", after_crash=True), Signals() as signals:
        journal = FileJournal(path, here.clock)
        journal.run = f"{session}.recover"
        _, built = build(Settings(), here, session, flight.run, state, journal, signals)
        if show:
            return _shown(flight, built.parts.place.effect(flight.start).paths if flight.start else {}, here)
        settled = answer(flight, built.parts, keep, say)
    if settled is None:
        return f"cycle {flight.cycle} is settled; the tree stays as it is"
    return f"cycle {flight.cycle}'s work is taken back and kept: ao restore {flight.cycle}"


def _shown(flight: InFlight, paths: object, here: Here) -> str:
    import time

    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(flight.beat))
    names = sorted(paths) if isinstance(paths, dict) else []
    lines = [
        f"cycle {flight.cycle} ({flight.item.key}: {flight.item.title}) was cut off at {when}",
        f"{len(names)} paths differ from its start:",
    ]
    for name in names[:200]:
        changed = _changed(os.path.join(here.repository.top, name))
        later = " (changed later)" if changed is None or changed > flight.beat + SLACK_SECONDS else ""
        lines.append(f"  {name}{later}")
    lines.append("ao recover --keep leaves all as it is; --take-back takes back what was not changed later")
    return "\n".join(lines)


def _changed(path: str) -> float | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return max(facts.st_mtime, facts.st_ctime)
