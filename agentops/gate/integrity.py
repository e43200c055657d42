"""What a cycle must not touch: how git runs things, and the supervisor's own records."""

from __future__ import annotations

from collections.abc import Iterable

from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope


class IntegrityCheck:
    """`tampered` for changes that make git run other code (design-review E3); `state_touched` for our own records.

    The records have been put back before this looks; the finding is for the report.
    """

    name = "integrity"

    def __init__(self, goals_file: str | None, touched: frozenset[str]) -> None:
        self._goals_file = goals_file
        self._touched = touched

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        found = [Finding(FindingKind.TAMPERED, path, "decides what git runs here") for path in sorted(effect.tampered)]
        if self._goals_file in effect.paths:
            found.append(
                Finding(FindingKind.TAMPERED, str(self._goals_file), "the goals were changed by work that is not about them")
            )
        found += [Finding(FindingKind.STATE_TOUCHED, path, "put back") for path in sorted(self._touched)]
        return found

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        return Again(failing=subjects)
