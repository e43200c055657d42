"""A cycle must not set itself a softer gate, or another agent, for the next night (design-review 23)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope
from agentops.core.work import WorkItem
from agentops.policy.reading import REPOSITORY_FILES, repository_says
from agentops.policy.toml_layer import BadConfiguration


class SettingsCheck:
    """`tampered` when the cycle changed what the repository's files say to `ao` itself; how it is written may change.

    `said`: the settings at the session's start. Work that names the file is about it and may change it.
    """

    name = "settings"

    def __init__(self, top: str, said: Mapping[str, object], item: WorkItem) -> None:
        self._top = top
        self._said = said
        self._item = item

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        touched = sorted(REPOSITORY_FILES.intersection(effect.paths).difference(self._item.files))
        if not touched:
            return []
        try:
            now = repository_says(self._top)
        except BadConfiguration as broken:
            return [Finding(FindingKind.TAMPERED, touched[0], f"does not load any more: {broken}")]
        changed = sorted(key for key in {*now, *self._said} if now.get(key) != self._said.get(key))
        if not changed:
            return []
        return [Finding(FindingKind.TAMPERED, touched[0], f"settings of ao were changed: {', '.join(changed)}")]

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        return Again(failing=subjects)
