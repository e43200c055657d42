"""The ledger as the loop uses it: the next number, one row a cycle, and the row's own small commit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from agentops.evolve.quarantine import Standing
from agentops.evolve.standings import Standings
from agentops.records import rows
from agentops.records.rows import CycleRow


class Ledger(Protocol):
    """The cycle history. `append` is idempotent by cycle and session."""

    def last_cycle(self) -> int: ...

    def append(self, row: CycleRow) -> None: ...

    def commit(self, row: CycleRow) -> str | None:
        """Commit the ledger; the commit's id, or None where it is ignored, too large or not wanted."""
        ...

    @property
    def standings(self) -> Mapping[str, Standing]:
        """How every target stands after the last row."""
        ...

    @property
    def head(self) -> str:
        """Where the last cycle left HEAD, over sessions; empty when that isn't known."""
        ...

    def left_at(self, sha: str) -> None: ...

    def quarantine(self, target: str, check: str) -> None:
        """Remember how a goal read when its row `quarantined` was written."""
        ...

    def release(self, targets: Iterable[str], cycle: int) -> frozenset[str]:
        """Let targets count afresh from this cycle on; returns those that were in quarantine."""
        ...


class FileLedger:
    """`.agents/evolve/cycle-history.jsonl`; `commit` is the tree's plumbing, given by the composition."""

    def __init__(self, path: str, commit: Callable[[CycleRow], str | None], standings: Standings) -> None:
        self.path = path
        self._commit = commit
        self._standings = standings

    def last_cycle(self) -> int:
        return rows.last_cycle(self.path)

    def append(self, row: CycleRow) -> None:
        rows.append_once(self.path, row)
        self._standings.catch_up()

    @property
    def standings(self) -> Mapping[str, Standing]:
        return self._standings.of

    @property
    def head(self) -> str:
        return self._standings.head

    def left_at(self, sha: str) -> None:
        self._standings.left_at(sha)

    def quarantine(self, target: str, check: str) -> None:
        self._standings.quarantine(target, check)

    def release(self, targets: Iterable[str], cycle: int) -> frozenset[str]:
        return self._standings.release(targets, cycle)

    def commit(self, row: CycleRow) -> str | None:
        return self._commit(row)
