"""What a person does between two cycles wakes targets from their rest, and ends their quarantine (evolve.md sections 1, 3)."""

from __future__ import annotations

from collections.abc import Callable

from agentops.core.journals import Step
from agentops.core.places import Start
from agentops.core.work import WorkItem
from agentops.evolve.parts import Parts
from agentops.evolve.quarantine import Standing


class Waking:
    """`woken`: targets with the cycle since when they count afresh. `left_head`: where the last cycle left HEAD; what lies
    between it and the next start is a person's.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._named: dict[str, tuple[str, ...]] = {}
        self.woken: dict[str, int] = {}
        self._left_head: str | None = None

    def left_at(self, sha: str) -> None:
        """A cycle ended here; what it committed itself wakes nobody."""
        self._left_head = sha
        self._parts.ledger.left_at(sha)

    def worked_on(self, item: WorkItem) -> None:
        """Remember which files an item names, for as long as the session lives."""
        if item.files:
            self._named[item.key] = item.files

    def look(self, start: Start, notice: Callable[[str], None]) -> bool:
        """What changed since the last cycle: rows of the goals file, commits to files that a target names, a person's word.
        True when the goals are not the same any more.
        """
        parts = self._parts
        goals = parts.goals.read_again()
        if goals:
            notice(f"the goals file changed: {', '.join(sorted(goals)[:10])}")
        before = parts.ledger.head if self._left_head is None else self._left_head
        told = parts.released()
        changed = goals | told | self._rewritten()
        if before and before != start.pre.head:
            changed |= self._about(parts.place.paths_between(before, start.pre.head))
        if changed:
            self.woken.update(dict.fromkeys(changed, start.cycle))
            parts.journal.note(Step.WOKEN, durable=bool(told), cycle=start.cycle, targets=sorted(changed))
            if freed := parts.ledger.release(changed, start.cycle):
                notice(f"out of quarantine: {', '.join(sorted(freed))}")
        if told:
            parts.released_noted()  # only now: a person's word is said once, and stands in no other file
        self._left_head = start.pre.head
        return bool(goals)

    def _about(self, paths: frozenset[str]) -> frozenset[str]:
        named = frozenset(target for target, files in self._named.items() if not paths.isdisjoint(files))
        return self._parts.goals.about(paths) | named

    def _rewritten(self) -> frozenset[str]:
        """Goals that read otherwise than when they went into quarantine, perhaps in another session."""
        now = self._parts.goals.fingerprint
        return frozenset(
            target for target, one in self._parts.ledger.standings.items() if _checked(one) and now(target) not in ("", one.check)
        )


def _checked(one: Standing) -> bool:
    return one.quarantined and bool(one.check)
