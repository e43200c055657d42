"""The person's index: entries put from one state to another under git's lock, every other entry left as it is."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Mapping

from agentops.host.entries import replace, set_times
from agentops.host.files import copy_file, sync_folder, write_atomic
from agentops.tree.checkout import Checkout
from agentops.tree.index_file import IndexEntry, entries, is_split
from agentops.tree.index_lock import IndexLock
from agentops.tree.manifest import Manifest
from agentops.tree.objects import store

Entries = Mapping[bytes, tuple[IndexEntry, ...]]
_UNSPLIT = ("-c", "core.splitIndex=false", "-c", "index.sparse=false")


def move_index(checkout: Checkout, old: Manifest, new: Manifest, skip: Collection[bytes] = ()) -> set[bytes]:
    """Entries that differ between two snapshots, as in `new` where they still are as in `old`. Returns those that are not.

    Where nobody touched the index since, the file of `new` comes back whole: intent-to-add, skip-worktree and the cached
    file times with it. `skip`: paths whose entries belong to someone else's commit.
    """
    if old.index == new.index:
        return set()
    before, after = (entries(checkout.blobs.get(one.index), checkout.width) for one in (old, new))
    differing = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    changed = differing - set(skip)
    with IndexLock(checkout):
        data = _read(checkout)
        if hashlib.sha256(data).hexdigest() == new.index:
            return set()
        current = entries(_whole(checkout, data), checkout.width)
        if current == before and changed == differing:
            if any(one.intent for found in after.values() for one in found):
                store(checkout.git, [b""], checkout.width)  # such entries name the empty blob, which a `gc` may have taken
            install(checkout, checkout.blobs.get(new.index), new.index_mtime_ns)
            return set()
        contested = {path for path in changed if current.get(path) not in (before.get(path), after.get(path))}
        targets = {path: after.get(path, ()) for path in changed - contested if current.get(path) != after.get(path)}
        if targets:
            _set(checkout, targets)
        return contested


def same_entries(checkout: Checkout, one: Manifest, other: Manifest) -> bool:
    """Two snapshots have the same index but for cached file times."""
    if one.index == other.index:
        return True
    left, right = (entries(checkout.blobs.get(each.index), checkout.width) for each in (one, other))
    return left == right


def edit_index(checkout: Checkout, paths: Collection[bytes], decide: Callable[[Entries], Entries]) -> None:
    """Under the lock: `decide` sees the entries that these paths have and names those to be put in (none: removed)."""
    if not paths:
        return
    with IndexLock(checkout):
        current = entries(_whole(checkout, _read(checkout)), checkout.width, frozenset(paths))
        targets = {path: wanted for path, wanted in decide(current).items() if current.get(path, ()) != wanted}
        if targets:
            _set(checkout, targets)


def install(checkout: Checkout, data: bytes, mtime_ns: int | None = None) -> None:
    """Replace the index file as one act; the caller holds the lock. Its time comes along: git judges entries by it."""
    temp = checkout.scratch("new-index")
    write_atomic(temp, data, mode=_mode(checkout.index_path), named=False)  # it gets its lasting name below
    if mtime_ns is not None:
        set_times(temp, mtime_ns=mtime_ns)
    replace(temp, checkout.index_path)
    sync_folder(os.path.dirname(checkout.index_path))


def put_entries(checkout: Checkout, index: str, targets: Entries) -> None:
    """Put entries into an index file that nobody else uses, flags included."""
    lines = [f"000000 {checkout.zero}\t".encode() + path + b"\0" for path in targets]
    flagged: dict[str, list[bytes]] = {}
    for path, wanted in targets.items():
        for one in wanted:
            if one.intent and ((facts := checkout.look(path)) is None or stat.S_ISDIR(facts.st_mode)):
                continue  # `git add` refuses where there is no file, and nothing is left that one could intend to add
            if one.intent:
                flagged.setdefault("intent", []).append(path)
                continue
            lines.append(b"%06o %s %d\t%s\0" % (one.mode, one.oid.encode(), one.stage, path))
            for flag, on in (("--assume-unchanged", one.assume), ("--skip-worktree", one.skip)):
                if on:
                    flagged.setdefault(flag, []).append(path)
    checkout.private(*_UNSPLIT, "update-index", "-z", "--index-info", stdin=b"".join(lines), index=index)
    for flag, paths in flagged.items():
        if flag == "intent":
            checkout.private("--literal-pathspecs", "add", "--intent-to-add", "--force", "--", *paths, index=index)
        else:
            checkout.private("update-index", flag, "-z", "--stdin", stdin=b"\0".join(paths) + b"\0", index=index)


def _set(checkout: Checkout, targets: Entries) -> None:
    temp = checkout.scratch("edited-index")
    if os.path.exists(checkout.index_path):
        copy_file(checkout.index_path, temp)
    put_entries(checkout, temp, targets)
    with open(temp, "rb") as file:
        install(checkout, file.read())


def _read(checkout: Checkout) -> bytes:
    try:
        with open(checkout.index_path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _whole(checkout: Checkout, data: bytes) -> bytes:
    """The entries of a split index, joined in a copy."""
    if not data or not is_split(data, checkout.width):
        return data
    temp = checkout.scratch("joined-index")
    copy_file(checkout.index_path, temp)
    checkout.private(*_UNSPLIT, "update-index", "--no-split-index", index=temp)
    with open(temp, "rb") as file:
        return file.read()


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return 0o644
