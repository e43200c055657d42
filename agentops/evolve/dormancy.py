"""Dormancy: only when every rung came up empty in three consecutive passes. Two idle rows; the third pass stops."""

from __future__ import annotations

from collections.abc import Sequence

from agentops.core.judging import Result
from agentops.core.stops import Stop, StopReason
from agentops.evolve.outcomes import IDLE, Outcome

EMPTY_PASSES = 3


def idle_streak(outcomes: Sequence[Outcome]) -> int:
    """Idle rows at the end of this session; rows of earlier sessions say nothing about this one (agentops 2.4)."""
    streak = 0
    for one in reversed(outcomes):
        if one.result is Result.QUARANTINED:
            continue
        if one.target != IDLE:
            break
        streak += 1
    return streak


def dormant(outcomes: Sequence[Outcome]) -> Stop | None:
    """Asked in an empty pass: whether it is the third in a row."""
    if idle_streak(outcomes) + 1 >= EMPTY_PASSES:
        return Stop(StopReason.STAGNATION, f"nothing to work on in {EMPTY_PASSES} passes in a row")
    return None
