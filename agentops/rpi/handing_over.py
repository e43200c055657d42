"""From a limited agent to the next one in the middle of a phase: the tree goes back to the phase's start, nothing is lost."""

from __future__ import annotations

from agentops.core.places import Effect, Place, Start

SHORT_WAIT = 300.0
"""Seconds for which an agent is waited for: half-done work is worth more than a few minutes."""


def back_to_phase_start(place: Place, start: Start, begun: Effect) -> frozenset[str]:
    """Put the tree back to where the phase began (`begun`: the effect so far, taken then). What the limited agent did stays
    in `parked` (`ao restore`). Returns the paths that someone else changed meanwhile; they are left as they are.
    """
    done = place.effect(start)
    place.park(start, done)
    left = place.set_aside(start, done)
    return left | place.bring_back(start, begun)
