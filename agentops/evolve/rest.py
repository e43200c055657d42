"""Rest: a target that was worked three times in a row without success is left alone for the session; at once where its
worker found that it lies outside of what may be changed.

Without it one impossible goal eats a whole night: thirty paid cycles before any breaker (design-review hole D).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentops.core.judging import ReasonKind, Result, reason_kind
from agentops.evolve.outcomes import IDLE, NOT_CHARGED, Outcome

TRIES = 3
ESCALATED = "it needs more than its scope allows (ao queue release frees it)"
"""Why a target is left alone whose worker said so: the same scope would only be paid for again (evolve.md section 3)."""


def resting(outcomes: Sequence[Outcome], changed: Mapping[str, int] | None = None) -> dict[str, str]:
    """Targets that rest, with the reason. `changed`: from which cycle on a target counts afresh, because its check, its
    files or a person changed it.
    """
    fresh = changed or {}
    tries: dict[str, list[str]] = {}
    escaped: dict[str, str] = {}
    for one in outcomes:
        if one.target == IDLE or one.result is Result.QUARANTINED or one.cycle < fresh.get(one.target, 0):
            continue
        if one.result is Result.IMPROVED:
            tries.pop(one.target, None)
            escaped.pop(one.target, None)
        elif reason_kind(one.reason) is ReasonKind.SCOPE_ESCAPE:
            escaped[one.target] = ESCALATED
        elif one.reason not in NOT_CHARGED:
            tries.setdefault(one.target, []).append(one.reason)
    rests = {
        target: f"it rests: {len(reasons)} tries without success ({', '.join(reasons[-TRIES:])})"
        for target, reasons in tries.items()
        if len(reasons) >= TRIES
    }
    return {**rests, **escaped}
