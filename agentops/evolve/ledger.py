"""The ledger as the loop uses it: the next number, one row a cycle, and the row's own small commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agentops.records import rows
from agentops.records.rows import CycleRow


class Ledger(Protocol):
    """The cycle history. `append` is idempotent by cycle and session."""

    def last_cycle(self) -> int: ...

    def append(self, row: CycleRow) -> None: ...

    def commit(self, row: CycleRow) -> str | None:
        """Commit the ledger; the commit's id, or None where it is ignored, too large or not wanted."""
        ...


class FileLedger:
    """`.agents/evolve/cycle-history.jsonl`; `commit` is the tree's plumbing, given by the composition."""

    def __init__(self, path: str, commit: Callable[[CycleRow], str | None]) -> None:
        self.path = path
        self._commit = commit

    def last_cycle(self) -> int:
        return rows.last_cycle(self.path)

    def append(self, row: CycleRow) -> None:
        rows.append_once(self.path, row)

    def commit(self, row: CycleRow) -> str | None:
        return self._commit(row)
