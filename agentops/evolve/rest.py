"""Rest: a target that was worked three times in a row without success is left alone for the session.

Without it one impossible goal eats a whole night: thirty paid cycles before any breaker (design-review hole D).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentops.core.judging import Result
from agentops.evolve.outcomes import IDLE, NOT_CHARGED, Outcome

TRIES = 3


def resting(outcomes: Sequence[Outcome], changed: Mapping[str, int] | None = None) -> dict[str, str]:
    """Targets that rest, with the reason. `changed`: from which cycle on a target counts afresh, because its check, its
    files or a person changed it.
    """
    fresh = changed or {}
    tries: dict[str, list[str]] = {}
    for one in outcomes:
        if one.target == IDLE or one.result is Result.QUARANTINED or one.cycle < fresh.get(one.target, 0):
            continue
        if one.result is Result.IMPROVED:
            tries.pop(one.target, None)
        elif one.reason not in NOT_CHARGED:
            tries.setdefault(one.target, []).append(one.reason)
    return {
        target: f"it rests: {len(reasons)} tries without success ({', '.join(reasons[-TRIES:])})"
        for target, reasons in tries.items()
        if len(reasons) >= TRIES
    }
