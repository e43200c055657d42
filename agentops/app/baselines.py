"""The baseline of a goals era: its first measurement, which a night is later held against."""

from __future__ import annotations

import os

from agentops.core.clock import Clock
from agentops.core.events import Event, Events
from agentops.core.fitness import Fitness
from agentops.goals.document import GoalsDocument
from agentops.records import snapshots


def keep_baseline(top: str, raw: bytes, fitness: Fitness, clock: Clock, events: Events) -> None:
    """Write the era's baseline unless it has one. What cannot be written is said and stops nothing: it only serves reports.

    `raw` are the goals file's bytes. The session's own first measurement is it, so that a start measures once, not twice.
    """
    folder = snapshots.era_folder(top, raw)
    if snapshots.has_baseline(folder):
        return
    try:
        path = snapshots.save(folder, fitness, clock.now().wall)
    except OSError as error:
        events.emit(Event.NOTICE, text=f"the baseline {folder} could not be written: {error.strerror}")
        return
    said = f"{fitness.passing} of {len(fitness.goals)} goals pass"
    events.emit(Event.NOTICE, text=f"baseline of this goals file: {said} ({os.path.relpath(path, top)})")


def baselines_of(document: GoalsDocument | None, top: str) -> tuple[str, ...]:
    """The baselines of the present era, below `top`: they are committed with the ledger, which is read against them."""
    if document is None:
        return ()
    folder = snapshots.era_folder(top, document.raw)
    return tuple(os.path.relpath(path, top) for path in snapshots.kept(folder))
