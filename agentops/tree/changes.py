"""What differs between two snapshots: pure, from git's raw tree difference and the two manifests."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentops.core.paths import text_of
from agentops.core.places import Change
from agentops.records.queue import NEXT_WORK as NEXT_WORK
from agentops.tree.manifest import Manifest, Own

_OURS_BY_RIGHT = tuple(f".agents/{name}/" for name in ("council", "plans", "research", "learnings", "patterns"))


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One line of `git diff-tree --raw`: modes and blob ids on both sides, mode 0 where there is nothing."""

    old_mode: int
    new_mode: int
    old: str
    new: str

    @property
    def change(self) -> Change:
        return Change.ADDED if not self.old_mode else Change.DELETED if not self.new_mode else Change.MODIFIED


@dataclass(frozen=True, slots=True)
class Differences:
    """By text path. `paths`: as in `Effect`; `ignored`: as there. Contents, kinds and permission bits count."""

    paths: dict[str, Change] = field(default_factory=dict)
    ignored: dict[str, Change] = field(default_factory=dict)


def parse_raw(out: bytes) -> dict[bytes, TreeChange]:
    """The answer of `git diff-tree -r -z --raw --no-renames A B`."""
    fields = out.split(b"\0")
    found: dict[bytes, TreeChange] = {}
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.lstrip(b":").split(b" ", 4)
        found[path] = TreeChange(int(old_mode, 8), int(new_mode, 8), old.decode(), new.decode())
    return found


def differences(tree: Mapping[bytes, TreeChange], pre: Manifest, post: Manifest) -> Differences:
    """What changed from `pre` to `post`.

    A path that only seems new, because `pre` did not look into the folder it lies in, is no change: taking it back
    would delete what was there before.
    """
    by_text = {text_of(path): change for path, change in tree.items()}
    paths = {text: one.change for text, one in by_text.items() if text not in pre.own and text not in post.own}
    ignored: dict[str, Change] = {}
    for text in pre.own.keys() | post.own.keys():
        change = _own_change(pre.own.get(text), post.own.get(text), by_text.get(text))
        if change is not None:
            known = post.own.get(text) or pre.own[text]
            (ignored if known.ignored else paths)[text] = change
    for text in pre.surfaced:
        if text not in post.surfaced and text not in paths:
            paths[text] = Change.DELETED
    for text in post.surfaced:
        if text not in pre.surfaced:
            paths[text] = Change.ADDED
    for text in set(post.nested) - set(pre.nested):
        if text not in paths:
            paths[text] = Change.ADDED
    unseen = set(pre.unseen)
    hidden = [text for text, change in (*paths.items(), *ignored.items()) if change is Change.ADDED and under(text, unseen)]
    for text in hidden:
        paths.pop(text, None)
        ignored.pop(text, None)
    for text in changed_bits(pre, post):
        if text not in by_text and text not in paths and text not in ignored and not under(text, unseen):
            kept = post.own.get(text)
            (ignored if kept is not None and kept.ignored else paths)[text] = Change.MODIFIED
    return Differences(paths, ignored)


def changed_bits(pre: Manifest, post: Manifest) -> set[str]:
    """Files whose permission bits differ though git may see no change; both manifests list what is not usual."""
    return {text for text in pre.modes.keys() | post.modes.keys() if pre.modes.get(text) != post.modes.get(text)}


def under(text: str, folders: Iterable[str] | set[str]) -> bool:
    """The path is one of these, or lies below one."""
    known = folders if isinstance(folders, set) else set(folders)
    if not known:
        return False
    if text in known or "" in known:
        return True
    at = text.rfind("/")
    while at > 0:
        if text[:at] in known:
            return True
        at = text.rfind("/", 0, at)
    return False


def kept_anyway(changes: Mapping[str, Change], old: bytes | None, new: bytes | None) -> frozenset[str]:
    """Ours by right: rows appended to the work queue, new files where reviews and learnings are kept (evolve.md 5.1).

    `old`, `new`: the queue's content before and after; None when there is none.
    """
    ours = {text for text, change in changes.items() if change is Change.ADDED and text.startswith(_OURS_BY_RIGHT)}
    if NEXT_WORK in changes and appended_only(old, new):
        ours.add(NEXT_WORK)
    return frozenset(ours)


def appended_only(old: bytes | None, new: bytes | None) -> bool:
    """Every byte of the old content is still where it was; whole lines may follow."""
    if new is None:
        return False
    before = old or b""
    if not new.startswith(before):
        return False
    return not before or before.endswith(b"\n") or new[len(before) : len(before) + 1] in (b"", b"\n")


def with_appended(old: bytes | None, new: bytes | None) -> bytes:
    """The old rows as they were, and the rows that the new content has beyond their number."""
    before = (old or b"").splitlines(keepends=True)
    after = (new or b"").splitlines(keepends=True)
    rows = after[len(before) :]
    if rows and before and not before[-1].endswith(b"\n"):
        before[-1] += b"\n"
    return b"".join([*before, *rows])


def _own_change(pre: Own | None, post: Own | None, tree: TreeChange | None) -> Change | None:
    if pre is None and post is not None:
        was_there = post.tracked or (tree is not None and tree.old_mode)
        return Change.MODIFIED if was_there else Change.ADDED
    if post is None:
        return Change.DELETED
    assert pre is not None
    return None if same_own(pre, post) else Change.MODIFIED


def same_own(one: Own, other: Own) -> bool:
    """The same kind, permission bits and content; without contents, the same signature decides."""
    if one.signature.mode != other.signature.mode:
        return False
    if one.digest is not None and other.digest is not None:
        return one.digest == other.digest
    if stat.S_ISDIR(one.signature.mode):
        return one.signature.inode == other.signature.inode
    a, b = one.signature, other.signature
    return (a.size, a.mtime_ns, a.inode) == (b.size, b.mtime_ns, b.inode)
