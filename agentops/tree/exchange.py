"""Put one snapshot's files in place of another's: only where the tree still holds what the other one saw.

Each file changes in one act, so that after a crash every path is either as before or as wanted, and the whole is simply
done again. What someone else changed meanwhile is named and left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agentops.core.paths import text_of
from agentops.host.entries import flush_all, remove_folder, replace, set_mode
from agentops.host.faults import fault
from agentops.host.files import sync_folder
from agentops.tree.bytes_of import contents, holds, is_now
from agentops.tree.checkout import Checkout
from agentops.tree.folders import mend_folders, parents_of, remove_folders
from agentops.tree.manifest import Manifest, Signature
from agentops.tree.settings import Filters
from agentops.tree.sides import Entry, Kind, Pair
from agentops.tree.swapping import place, take_away

_SYNC_EACH = 8
Asides = Callable[[bytes], str]


@dataclass(slots=True)
class Exchanged:
    """`contested`: neither as it was seen nor as wanted. `notes`: what could not be put back, for the report."""

    contested: set[bytes] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    written: list[bytes] = field(default_factory=list)


def exchange(checkout: Checkout, old: Manifest, new: Manifest, both: Mapping[bytes, Pair], aside: Asides) -> Exchanged:
    """For each path with (old, new) sides: `new` where the tree holds `old`. Folders follow the two manifests."""
    done = Exchanged()
    # Attributes decide what git checks out, so they come before everything that is checked out by them.
    first = {path: pair for path, pair in both.items() if path.rpartition(b"/")[2] == b".gitattributes"}
    rest = {path: pair for path, pair in both.items() if path not in first}
    mend_folders(checkout, old, new)
    for group in filter(None, (first, rest)):
        _exchange(checkout, old, new, group, aside, done)
    remove_folders(checkout, old, new)
    mend_folders(checkout, old, new, make=True)
    _flush(checkout, done)
    return done


def _exchange(
    checkout: Checkout, old: Manifest, new: Manifest, both: Mapping[bytes, Pair], aside: Asides, done: Exchanged
) -> None:
    filters = old.filters or new.filters
    ready = _ready(checkout, both, filters, done)
    leaving = [path for path in ready if both[path][1].kind is Kind.ABSENT]
    for path in sorted(leaving, key=lambda one: one.count(b"/"), reverse=True):
        _take_away(checkout, path, both[path][0], ready[path], aside, done)
    remove_folders(checkout, old, new)
    for path in ready:
        if both[path][1].kind is Kind.OTHER:
            _bring(checkout, path, aside, done)
    wanted = {path: both[path][1] for path in ready if both[path][1].kind in (Kind.FILE, Kind.LINK)}
    bits_only = {path for path, one in wanted.items() if one.oid is None and one.digest is None}
    for path in bits_only:
        _set_bits(checkout, path, wanted[path], ready[path], done)
    for portion in contents(checkout, {path: one for path, one in wanted.items() if path not in bits_only}, filters):
        for path in sorted(portion):
            _write(checkout, new, path, wanted[path], portion[path], ready[path], done)


def _ready(checkout: Checkout, both: Mapping[bytes, Pair], filters: Filters, done: Exchanged) -> dict[bytes, Signature | None]:
    """Paths that still are as the old side says, with the facts by which to know them a moment later."""
    ready: dict[bytes, Signature | None] = {}
    unknown: dict[bytes, Entry] = {}
    others: dict[bytes, Entry] = {}

    def sort(path: bytes, matches: bool | None) -> None:
        if matches:
            ready[path] = _facts(checkout, path)
        elif matches is None:
            unknown[path] = both[path][0]
        else:
            others[path] = both[path][1]

    for path, (before, _) in both.items():
        matches = is_now(checkout, path, before)
        held = before.oid is not None or before.digest is not None
        sort(path, matches if held or matches is not None else True)  # only its bits are to change, and they are as seen
    for portion in contents(checkout, dict(unknown), filters):
        for path, data in portion.items():
            sort(path, bool(is_now(checkout, path, both[path][0], data)))
    late: dict[bytes, Entry] = {}
    for path, after in others.items():
        matches = is_now(checkout, path, after)
        if matches is None:
            late[path] = after
        elif not matches and not _only_bits_differ(checkout, path, both[path], ready):
            done.contested.add(path)
    for portion in contents(checkout, late, filters):
        done.contested |= {path for path, data in portion.items() if not is_now(checkout, path, late[path], data)}
    return ready


def _only_bits_differ(checkout: Checkout, path: bytes, pair: Pair, ready: dict[bytes, Signature | None]) -> bool:
    """The wanted bytes with the old permission bits: a crash came between the two acts."""
    before, after = pair
    facts = checkout.look(path)
    if facts is None or after.kind is not Kind.FILE or before.kind is not Kind.FILE or not stat.S_ISREG(facts.st_mode):
        return False
    if stat.S_IMODE(facts.st_mode) != before.bits or not holds(checkout, path, after, facts):
        return False
    ready[path] = Signature.of(facts)
    return True


def _facts(checkout: Checkout, path: bytes) -> Signature | None:
    facts = checkout.look(path)
    return None if facts is None or stat.S_ISDIR(facts.st_mode) else Signature.of(facts)


def _untouched(checkout: Checkout, path: bytes, known: Signature | None, done: Exchanged) -> bool:
    """Asked right before each act: a person may have saved since we looked."""
    if _facts(checkout, path) == known:
        return True
    done.contested.add(path)
    return False


def _take_away(checkout: Checkout, path: bytes, before: Entry, known: Signature | None, aside: Asides, done: Exchanged) -> None:
    if not _untouched(checkout, path, known, done):
        return
    if before.kind is Kind.OTHER:
        target = aside(path)
        if checkout.move_aside(path, target):
            done.notes.append(f"{text_of(path)} was moved to {target}: it is too big to be stored, or a repository of its own.")
        else:
            done.contested.add(path)
        return
    fault("exchange.remove.before")
    try:
        gone = take_away(checkout, checkout.at(path), known)
    except (PermissionError, IsADirectoryError, NotADirectoryError):
        gone = False
    (done.written.append if gone else done.contested.add)(path)


def _bring(checkout: Checkout, path: bytes, aside: Asides, done: Exchanged) -> None:
    """What was moved aside comes back; anything else of that kind can't."""
    source = aside(path)
    if os.path.lexists(source) and checkout.look(path) is None and parents_of(checkout, path):
        replace(os.fsencode(source), checkout.at(path))
    else:
        done.notes.append(f"{text_of(path)} can't be put back: too big to be stored, unreadable, or a repository of its own.")


def _set_bits(checkout: Checkout, path: bytes, one: Entry, known: Signature | None, done: Exchanged) -> None:
    if one.kind is Kind.FILE and _untouched(checkout, path, known, done):
        set_mode(checkout.at(path), one.bits)


def _write(
    checkout: Checkout, new: Manifest, path: bytes, one: Entry, data: bytes, known: Signature | None, done: Exchanged
) -> None:
    target = checkout.at(path)
    try:
        if os.path.isdir(target) and not os.path.islink(target):
            remove_folder(target)
        if not parents_of(checkout, path, new) or not _untouched(checkout, path, known, done):
            done.contested.add(path)
            return
        fault("exchange.write.before")
        placed = place(checkout, target, data, known, link=one.kind is Kind.LINK, mode=one.bits)
    except (PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError):
        placed = False
    (done.written.append if placed else done.contested.add)(path)


def _flush(checkout: Checkout, done: Exchanged) -> None:
    if len(done.written) > _SYNC_EACH:
        flush_all()
        return
    for path in done.written:
        full = checkout.at(path)
        if os.path.isfile(full) and not os.path.islink(full) and os.access(full, os.R_OK):
            fd = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fault("exchange.fsync.before")
                os.fsync(fd)
            finally:
                os.close(fd)
    for folder in {os.path.dirname(checkout.at(path)) for path in done.written}:
        if os.path.isdir(folder):
            sync_folder(os.fsdecode(folder))
