"""How every target stands, kept beside the ledger: caught up after each row, counted anew when it is of another ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace

from agentops.evolve.quarantine import NEVER, Standing, after
from agentops.records import targets
from agentops.records.rows import CycleRow
from agentops.records.targets import Counted

MOST = 5000
"""Targets that are remembered; beyond that the ones seen longest ago are forgotten, unless they oscillate."""


class Standings:
    """`path`: our file, `ledger`: the ledger. Reads when first asked; with `write=False` nothing is ever written."""

    def __init__(self, path: str, ledger: str, *, write: bool = True) -> None:
        self._path, self._ledger, self._write = path, ledger, write
        self._book: targets.Book | None = None
        self._of: dict[str, Standing] = {}

    @property
    def of(self) -> Mapping[str, Standing]:
        """By target."""
        self._loaded()
        return self._of

    @property
    def head(self) -> str:
        """Where the last cycle left HEAD; empty when that isn't known."""
        return self._loaded().head

    def catch_up(self) -> None:
        """Count what the ledger has that is not counted yet."""
        book = self._loaded()
        size = targets.size_of(self._ledger)
        if size == book.ledger:
            return
        if book.ledger > size or targets.tail_of(self._ledger, book.ledger) != book.tail:
            self._book = None  # rows that a cycle forged were counted, and have been put back since
            self._loaded()
            return
        self._count(book, size)
        self._save()

    def left_at(self, sha: str) -> None:
        """Remember where a cycle left HEAD: what is committed after that is a person's."""
        book = self._loaded()
        if book.head != sha:
            book.head = sha
            self._save()

    def quarantine(self, target: str, check: str) -> None:
        """How the goal reads now: a person who changes it frees it."""
        self._loaded()
        if target in self._of:
            self._of[target] = replace(self._of[target], check=check)
            self._save()

    def release(self, these: Iterable[str], cycle: int) -> frozenset[str]:
        """Let targets count afresh from this cycle on; those that were in quarantine."""
        book = self._loaded()
        freed = frozenset(target for target in these if target in self._of)
        if not freed:
            return frozenset()
        was = frozenset(target for target in freed if self._of[target].quarantined)
        for target in freed:
            book.since[target] = cycle
            del self._of[target]
        self._save(durable=True)
        return was

    def _loaded(self) -> targets.Book:
        if self._book is None:
            book = targets.load(self._path)
            size = targets.size_of(self._ledger)
            read = {target: _standing(facts).check for target, facts in book.targets.items()}
            if book.ledger > size or targets.tail_of(self._ledger, book.ledger) != book.tail:
                book = targets.Book(head=book.head, since=book.since)  # another ledger, or a shortened one: count anew
            self._of = {target: _standing(facts) for target, facts in book.targets.items()}
            self._book = book
            if book.ledger != size:
                self._count(book, size)
                # How a goal read when it was left alone is in no row.
                known = {target: check for target, check in read.items() if check and target in self._of}
                self._of.update({target: replace(self._of[target], check=check) for target, check in known.items()})
                self._save()
        return self._book

    def _count(self, book: targets.Book, size: int) -> None:
        fold(self._of, targets.rows_from(self._ledger, book.ledger, size), book.since)
        book.ledger, book.tail = size, targets.tail_of(self._ledger, size)
        if len(self._of) > MOST:
            kept = sorted(self._of, key=lambda target: (self._of[target].oscillations > 0, self._of[target].cycle))[-MOST:]
            self._of = {target: self._of[target] for target in kept}
            book.since = {target: cycle for target, cycle in book.since.items() if target in self._of}

    def _save(self, *, durable: bool = False) -> None:
        if not self._write or self._book is None:
            return
        self._book.targets = {target: _facts(one) for target, one in self._of.items()}
        try:
            targets.save(self._path, self._book, durable=durable)
        except OSError:
            return  # derived: the next start counts again


def fold(standings: dict[str, Standing], rows: Iterable[Counted | CycleRow], since: Mapping[str, int]) -> None:
    """Count rows in. `since`: from which cycle on a target counts."""
    for row in rows:
        if row.target not in NEVER and row.cycle >= since.get(row.target, 0):
            standings[row.target] = after(standings.get(row.target) or Standing(), row)


def _facts(one: Standing) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if value}


def _standing(facts: Mapping[str, object]) -> Standing:
    """A record of another version may have other fields: those are left out."""
    default = Standing()
    known = {name: value for name, value in facts.items() if name in Standing.__slots__}
    return replace(default, **{n: v for n, v in known.items() if isinstance(v, type(getattr(default, n)))})
