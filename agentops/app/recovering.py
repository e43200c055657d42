"""`ao recover`: a person's answer to a cycle that a crash cut off and that was left alone."""

from __future__ import annotations

from collections.abc import Callable

from agentops.app.building import build
from agentops.app.lease import lease
from agentops.app.opening import Here
from agentops.core.errors import UsageError
from agentops.core.journals import InFlight
from agentops.evolve.journal import FileJournal, read_state
from agentops.evolve.own_files import without_ours
from agentops.evolve.parts import LoopPlace
from agentops.evolve.recovery import SLACK_SECONDS, answer
from agentops.host.signals import Signals
from agentops.policy.settings import Settings
from agentops.views.recovery import question


def recover(here: Here, *, keep: bool, show: bool, say: Callable[[str], None]) -> str:
    """With `show`, what there is to decide. Else a person's answer: the tree stays (`keep`), or the cycle is taken back."""
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
        _, built = build(Settings(agent="none"), here, session, flight.run, state, journal, signals)
        if show:
            return _question(flight, built.parts.place)
        settled = answer(flight, built.parts, keep, say)
    if settled is None:
        return f"cycle {flight.cycle} is settled; the tree stays as it is"
    return f"cycle {flight.cycle}'s work is taken back and kept: ao restore {flight.cycle}"


def _question(flight: InFlight, place: LoopPlace) -> str:
    if flight.start is None:
        return question(flight, (), ())
    later = place.changed_after(flight.start, flight.beat + SLACK_SECONDS)
    return question(flight, without_ours(place.effect(flight.start)).paths, later)
