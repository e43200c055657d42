"""How cycles of a session ended: the few facts on which breakers, rest and dormancy decide."""

from __future__ import annotations

from dataclasses import dataclass

from agentops.core.judging import Reason, ReasonKind, Result
from agentops.core.processes import PAUSES

IDLE = "idle"
"""The target of a pass that found nothing to do."""
NOT_CHARGED = frozenset({str(ReasonKind.INTERRUPTED), *(str(Reason(ReasonKind.AGENT, ended)) for ended in PAUSES)})
"""Reasons that say nothing about the target: no try of it was made to its end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One ended cycle. `worked`: the session's working time at its end, in seconds. `reason` as in its row."""

    cycle: int
    target: str
    result: Result
    reason: str
    worked: float

    @property
    def productive(self) -> bool:
        """Improved, or harvested with new items; a regression is no progress (design-review 15)."""
        return self.result in (Result.IMPROVED, Result.HARVESTED)

    @property
    def counts(self) -> bool:
        """Whether `--max-cycles` counts it: it ran work or was idle, and nobody interrupted it."""
        return self.reason != ReasonKind.INTERRUPTED and self.result is not Result.QUARANTINED
