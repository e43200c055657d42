"""The rung of harvested work: `.agents/rpi/next-work.jsonl`, claimed before the run and booked after the row (evolve.md 3)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import overload

from agentops.core.judging import ReasonKind, Result, Verdict
from agentops.core.processes import PAUSES, Ended
from agentops.core.stops import Scope
from agentops.core.work import Offer, Seen, WorkItem, World
from agentops.host import files
from agentops.records import queue_changes as changes
from agentops.records.queue_file import Claim, End, Found, QueueFile, at_ref, left_over
from agentops.records.queue_rows import QueueItem, State, key_of
from agentops.work.queue_ranking import Ranking, rank

PREFLIGHT = "ao-rpi-loop:preflight"
"""Who consumes what was done before, in upstream's words."""
PROVED_FIRST = 20
"""So many of the best items are looked up in what earlier runs left, each time the queue changes."""
TOLD = 20_000
"""Characters of one field that a prompt carries."""
WEIGHTS = {"high": 8, "critical": 8, "medium": 5, "low": 3}
NOBODYS_FAULT = frozenset({ReasonKind.INTERRUPTED, ReasonKind.CONTESTED, ReasonKind.GATE_ERROR})
NO_TRY = frozenset(map(str, (*PAUSES, Ended.AUTH, Ended.SPAWN_ERROR, Ended.BAD_CONFIG, Ended.KILLED, Ended.PERMISSION_DENIED)))
"""Ends of an agent that say nothing about the work: the claim is released and nothing is held against the item."""
_TO_TELL = (
    ("Severity", "severity"),
    ("Kind", "type"),
    ("Evidence", "evidence"),
    ("File", "file"),
    ("Function", "func"),
    ("Files", "target_files"),
    ("Why now", "why_now"),
    ("Tests that should pass afterwards", "likely_tests"),
)
_PATH = re.compile(r"[\w./-]+")


class Harvested:
    """Offers every free item of the queue. `repo`: whose items are wanted, empty for everybody's; `home` names this
    repository's claims, `number` is the present cycle's, `now` the time as rows carry it; `proof` says what shows that an
    item was done before.

    Without `leased` nothing is written: a dry run may look while another process works.
    """

    name = "harvested"

    def __init__(
        self,
        file: QueueFile,
        *,
        repo: str = "",
        home: str = "",
        run: str = "",
        number: Callable[[], int] = lambda: 0,
        now: Callable[[], str] = lambda: "",
        proof: Callable[[QueueItem], str | None] = lambda item: None,
        leased: bool = True,
    ) -> None:
        self._file, self._repo, self._home, self._run = file, repo, home, run
        self._number, self._now = number, now
        self._proof, self._leased, self._tidy = proof, leased, not leased
        self._seen: tuple[object, Ranking] | None = None

    def look(self, scope: Scope) -> Seen:
        if not self._tidy:
            self._tidy = True
            self._release_left_over()
        stamp = files.stamp(self._file.path)
        if self._seen is None or self._seen[0] != stamp or stamp is None:
            ranking = rank(self._file.read(), self._repo)
            if self._leased and self._consumed_what_is_proven(ranking):
                stamp, ranking = files.stamp(self._file.path), rank(self._file.read(), self._repo)
            self._seen = (stamp, ranking)
        return self._seen[1]

    def offer(self, world: World, seen: Seen) -> Offer:
        if not isinstance(seen, Ranking):
            return Offer()
        return Offer(_InOrder(seen), seen.passed_over)

    def claim(self, item: WorkItem) -> str | None:
        number = self._number()
        token = f"{self._home}:{self._run}/{number}/{os.urandom(4).hex()}"
        return token if self._file.claim(item.ref, Claim(token, _claimant(token), item.title), self._now()) else None

    def settle(self, item: WorkItem, token: str, verdict: Verdict) -> None:
        end = end_of(verdict)
        evidence = f"cycle {_cycle(token)} of {self._run}: {verdict.result}, {verdict.reason}" if end is End.CONSUME else ""
        self._file.book(Claim(token, _claimant(token), item.title), end, self._now(), evidence)

    def _consumed_what_is_proven(self, ranking: Ranking) -> bool:
        """Before anything is claimed: what an earlier run has done is not done again (agentops 1.9)."""
        done = False
        for item in islice(ranking, PROVED_FIRST):
            if (why := self._proof(item)) is not None:
                change = changes.consume(PREFLIGHT, self._now(), f"done before: {why}")
                find = partial(_still_free, ref=item.ref, title=item.title)
                done = self._file.change(find, change) is not None or done
        return done

    def _release_left_over(self) -> None:
        """Claims of runs that ended without booking them: with the lease in hand none of them works any more."""
        for one in left_over(self._file.read(), self._home):
            self._file.change(partial(at_ref, ref=one.ref), changes.release())


def _still_free(data: bytes, ref: str, title: str) -> Found | None:
    found = at_ref(data, ref)
    return found if found is not None and found[2].title == title and found[2].state is State.AVAILABLE else None


def end_of(verdict: Verdict) -> End:
    """What becomes of the claim: done, free as before, or free and later in line (agentops 1.7)."""
    if verdict.result in (Result.IMPROVED, Result.HARVESTED) or verdict.reason.kind is ReasonKind.ALREADY_DONE:
        return End.CONSUME
    if verdict.reason.kind in NOBODYS_FAULT:
        return End.RELEASE
    if verdict.reason.kind is ReasonKind.AGENT and verdict.reason.detail in NO_TRY:
        return End.RELEASE
    return End.FAIL


def work_item(item: QueueItem) -> WorkItem:
    """An item of the queue as work. Its `check` (or the commands among its `likely_tests`) says when it is done."""
    severity = item.text("severity").lower()
    return WorkItem(
        source=Harvested.name,
        key=key_of(item.title),
        title=item.title,
        prompt=_prompt(item),
        check=_check(item),
        fix=item.text("fix").strip() or None,
        weight=WEIGHTS.get(severity, 5),
        ref=item.ref,
        files=files_of(item),
        origin=item.epic,
    )


def files_of(item: QueueItem) -> tuple[str, ...]:
    """Paths that the item names: a person's commit to one of them wakes it."""
    named = (*item.texts("file"), *item.texts("target_files"), *item.texts("source_path"))
    return tuple(dict.fromkeys(one.strip().removeprefix("./") for one in named if _PATH.fullmatch(one.strip())))


def _check(item: QueueItem) -> str | None:
    """Commands only: a bare path among `likely_tests` is something to read, not something to run."""
    own = item.text("check").strip()
    if own:
        return own
    commands = [one.strip() for one in item.texts("likely_tests") if " " in one.strip() and "\n" not in one.strip()]
    return " && ".join(f"( {one} )" for one in commands) or None


def _prompt(item: QueueItem) -> str:
    lines = [item.title, "", item.text("description")[:TOLD]]
    for title, name in _TO_TELL:
        said = ", ".join(item.texts(name))[:TOLD]
        if said:
            lines.append(f"{title}: {said}")
    return "\n".join(lines).strip()


def _cycle(token: str) -> str:
    return token.rsplit("/", 2)[-2]


def _claimant(token: str) -> str:
    """The words that upstream's readers know; they are no unique name, which is what the token is for."""
    return f"evolve:cycle-{_cycle(token)}"


class _InOrder(Sequence[WorkItem]):
    """The free items as work, each made when its turn comes."""

    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking

    def __len__(self) -> int:
        return len(self._ranking)

    @overload
    def __getitem__(self, at: int) -> WorkItem: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[WorkItem]: ...
    def __getitem__(self, at: int | slice) -> WorkItem | Sequence[WorkItem]:
        if isinstance(at, slice):
            return tuple(work_item(self._ranking.at(one)) for one in range(*at.indices(len(self))))
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return work_item(self._ranking.at(at % len(self)))
