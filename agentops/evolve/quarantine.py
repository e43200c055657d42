"""Oscillation: a target that is mended again and again and never stays so. Pure; a fold over the ledger's rows.

A transition is: improved, and then regressed or chosen again, which a target that stayed good would never be (loop-peers F1-3,
F1-4). At the third the target is in quarantine: over sessions, until a person changes what it depends on or clears it. Work
whose success is a judgement, or a value that has moved but not arrived, may be chosen again without having fallen back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from shlex import quote

from agentops.core.judging import ReasonKind, Result
from agentops.evolve.outcomes import IDLE, NOT_CHARGED
from agentops.gate.verdict import MOVED
from agentops.records.rows import CycleRow
from agentops.records.targets import Counted

LIMIT = 3
NEVER = frozenset({"", IDLE, "parallel-wave"})
"""What is no target: an empty pass, a wave of several."""
_REACHED = frozenset({str(ReasonKind.TARGET_REACHED), str(ReasonKind.FLAKY), str(ReasonKind.ENVIRONMENT), ""})


@dataclass(frozen=True, slots=True)
class Standing:
    """What the ledger says of one target. `reached`: the last row that counts made it true; `tries`: rows since that one.

    `check`: how the goal read when it went into quarantine. `productive_at`: when work on it was last kept, as its row says.
    """

    cycle: int = 0
    result: str = ""
    tries: int = 0
    reached: bool = False
    oscillations: int = 0
    quarantined: bool = False
    check: str = ""
    productive_at: str = ""


def after(standing: Standing, row: CycleRow | Counted) -> Standing:
    """The standing of a row's target once the row is in the ledger."""
    kept = row.timestamp if row.productive else standing.productive_at
    result = str(row.result)
    if row.result == Result.QUARANTINED:
        many = row.oscillations or standing.oscillations
        return replace(standing, cycle=row.cycle, result=result, productive_at=kept, quarantined=True, oscillations=many)
    if row.reason in NOT_CHARGED:
        return replace(standing, cycle=row.cycle, result=result, productive_at=kept)
    reached = row.result == Result.IMPROVED and (row.reason or "") in _REACHED and row.reason != MOVED
    fell = standing.oscillations + standing.reached
    tries = 0 if reached else standing.tries + 1
    return Standing(row.cycle, result, tries, reached, fell, standing.quarantined, standing.check, kept)


def oscillations(standing: Standing | None) -> int:
    """Transitions of a target that is about to be chosen again: being chosen after it was reached is one itself."""
    return standing.oscillations + standing.reached if standing is not None else 0


def in_quarantine(standings: Mapping[str, Standing]) -> dict[str, str]:
    """Targets that are left alone, with the reason."""
    return {
        target: f"in quarantine: improved and failing again {one.oscillations} times (ao queue release {quote(target)})"
        for target, one in standings.items()
        if one.quarantined
    }
