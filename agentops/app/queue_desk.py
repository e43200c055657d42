"""`ao queue …`: a person's hand on the work queue, in any folder, also without git, also while a session runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentops.app.queue_names import EDITS, RELEASED, TARGETS, queue_path
from agentops.core.clock import Clock
from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.host import files
from agentops.host.clock import SystemClock
from agentops.records.queue import NEXT_WORK, items, row_at
from agentops.records.queue_file import Found, QueueFile, at_ref
from agentops.records.queue_rows import QueueItem, State, digest, key_of
from agentops.records.times import utc_text
from agentops.tree.naming import repository_name
from agentops.tree.repository import whereabouts
from agentops.work.queue_ranking import Ranking, rank

if TYPE_CHECKING:
    from agentops.records.queue_changes import Change
    from agentops.records.queue_repair import Repair

MOST_BACKUPS = 3
_LEDGER_BYTES = 1024 * 1024


class NoSuchItem(UsageError):
    """There is no such item in the work queue."""

    mend = "ao queue list --all"


@dataclass(frozen=True, slots=True)
class Desk:
    """`state`: our folder in git's, where a running session looks for a person's word; None outside of git."""

    file: QueueFile
    repo: str
    state: str | None
    clock: Clock

    def ranking(self, repo: str | None) -> Ranking:
        """The queue in the order in which the loop takes it."""
        return rank(self.file.read(), self.repo if repo is None else repo)

    def everything(self) -> tuple[QueueItem, ...]:
        """Every item as the file has them."""
        return tuple(items(self.file.read()))

    def find(self, ref: str) -> QueueItem:
        """The item that a person means: `LINE.NUMBER`, `LINE`, an id, a title or part of one. Raises NoSuchItem."""
        found = self._matching(self.file.read(), ref)
        if len(found) > 1:
            shown = ", ".join(f"{one.ref} {one.title[:40]!r}" for one in found[:5])
            raise NoSuchItem(f"{ref!r} fits {len(found)} items: {shown}", mend=f"ao queue show {found[0].ref}")
        if not found:
            raise NoSuchItem(f"there is no item {ref!r} in {self.file.path}")
        return found[0]

    def release(self, ref: str) -> QueueItem:
        """Free an item, whatever holds it: a claim, that it is consumed, that it failed before. Returns it as it was."""
        from agentops.records import queue_changes as changes

        item = self._change(ref, changes.release(forgive=True))
        self.wake(key_of(item.title))
        return item

    def consume(self, ref: str, evidence: str) -> QueueItem:
        """Say that an item is done. Returns it as it was."""
        from agentops.records import queue_changes as changes

        at = utc_text(self.clock.now().wall)
        return self._change(ref, changes.consume("ao-queue", at, evidence))

    def only_a_target(self, ref: str) -> bool:
        """Whether this names a goal or directive that may rest, and no item by its address, id or whole title."""
        exact = any(ref in (one.ref, one.text("id")) or one.title.casefold() == ref.casefold() for one in self.everything())
        return not exact and self._knows_target(ref)

    def _knows_target(self, target: str) -> bool:
        from agentops.records import rows, targets

        if self.state is not None and target in targets.load(os.path.join(self.state, TARGETS)).targets:
            return True
        path = os.path.join(os.path.dirname(self.file.path), os.pardir, "evolve", "cycle-history.jsonl")
        return any(row.target == target for row in rows.tail(path, _LEDGER_BYTES).rows)

    def wake(self, target: str) -> None:
        """Tell a running session that a resting target may be tried again, and quarantine that it is over."""
        if self.state is not None:
            files.append_line(os.path.join(self.state, RELEASED), target.encode(), durable=False)

    def add(self, item: dict[str, Any], epic: str) -> str:
        """Append one item; its address."""
        fresh = {**item, "target_repo": self.repo} if "target_repo" not in item else item
        lifecycle = {"consumed": False, "claim_status": str(State.AVAILABLE)}
        row = {"source_epic": epic, "timestamp": utc_text(self.clock.now().wall), "items": [{**fresh, **lifecycle}]}
        nobody = dict.fromkeys(("claimed_by", "claimed_at", "consumed_by", "consumed_at"))
        self.file.append({**row, **lifecycle, **nobody})
        return next(one.ref for one in reversed(self.everything()) if one.title == item["title"].strip())

    def repair(self, *, write: bool, stale_hours: float) -> Repair:
        """What is wrong with the file and could be mended; with `write` it is, and the old file kept beside."""
        from agentops.records.queue_repair import plan

        now = self.clock.now().wall
        found = plan(self.file.read(), now, stale_hours)
        if write and found.changed:
            self._keep_old()
            # Made anew from the file as it is under the lock: someone may have written since the look.
            files.rewrite(self.file.path, lambda data: plan(data, now, stale_hours).data)
        return found

    def _keep_old(self) -> None:
        for older in range(MOST_BACKUPS - 1, 0, -1):
            if os.path.lexists(f"{self.file.path}.{older}.bak"):
                files.move(f"{self.file.path}.{older}.bak", f"{self.file.path}.{older + 1}.bak")
        files.copy_file(self.file.path, f"{self.file.path}.1.bak", durable=True)

    def _change(self, ref: str, change: Change) -> QueueItem:
        item = self.find(ref)

        def still(data: bytes) -> Found | None:
            found = at_ref(data, item.ref)
            return found if found is not None and found[2].title == item.title else None

        if self.file.change(still, change) is None:
            raise NoSuchItem(f"{item.ref} has just been changed by someone else")
        self._note_edit(self.file.read(), item.line)
        return item

    def _note_edit(self, data: bytes, line: int) -> None:
        """A running session puts back what its agent does to other rows; this row is a person's doing."""
        if self.state is None or (row := row_at(data, line)) is None:
            return
        files.append_line(os.path.join(self.state, EDITS), digest(data[row.start : row.end]).encode(), durable=False)

    def _matching(self, data: bytes, ref: str) -> Sequence[QueueItem]:
        if (direct := at_ref(data, ref)) is not None:
            return (direct[2],)
        every = list(items(data))
        wanted = ref.casefold()
        tests: tuple[Callable[[QueueItem], bool], ...] = (
            lambda one: ref.isdecimal() and one.line == int(ref),
            lambda one: one.text("id") == ref,
            lambda one: one.title.casefold() == wanted,
            lambda one: one.title.casefold().startswith(wanted),
            lambda one: wanted in one.title.casefold(),
        )
        return next((found for test in tests if (found := [one for one in every if test(one)])), [])


def open_desk(cwd: str) -> Desk:
    """The queue of the repository that `cwd` lies in; outside of git that of the nearest folder upwards that has one."""
    try:
        top, common = whereabouts(cwd)
    except EnvironmentUnusable:
        top = _nearest(os.path.realpath(cwd))
        return Desk(QueueFile(queue_path(top)), repository_name(top, None), None, SystemClock())
    state = os.path.join(common, "ao")
    known = state if os.path.isdir(state) else None
    return Desk(QueueFile(queue_path(top)), repository_name(top, common), known, SystemClock())


def _nearest(start: str) -> str:
    here = start
    while not os.path.lexists(os.path.join(here, NEXT_WORK)):
        above = os.path.dirname(here)
        if above == here:
            return start
        here = above
    return here
