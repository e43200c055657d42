"""What one path was in each of two snapshots: kind, permission bits, and where its bytes are to be had."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from agentops.core.paths import raw_of
from agentops.tree.changes import TreeChange
from agentops.tree.checkout import Checkout
from agentops.tree.effect import tree_changes
from agentops.tree.manifest import Manifest, Signature

_LINK, _GITLINK = 0o120000, 0o160000


class Kind(StrEnum):
    """`OTHER`: it was there, and we hold no content of it (too big, unreadable, a repository of its own)."""

    ABSENT = "absent"
    FILE = "file"
    LINK = "link"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path in one snapshot. `oid`: git's blob, whose bytes are the file's own when `raw`, else what git would check
    out from it. `digest`: of our own store. `exact`: id of exactly the file's bytes, where known. `bits`: permissions.
    """

    kind: Kind
    bits: int = 0
    oid: str | None = None
    raw: bool = False
    digest: str | None = None
    exact: str | None = None
    signature: Signature | None = None
    taken_ns: int = 0


ABSENT = Entry(Kind.ABSENT)
Pair = tuple[Entry, Entry]


def pairs(checkout: Checkout, pre: Manifest, post: Manifest, texts: Iterable[str]) -> dict[bytes, Pair]:
    """Both sides of each of these paths."""
    tree = tree_changes(checkout, pre.tree, post.tree)
    found: dict[bytes, Pair] = {}
    for text in texts:
        path = raw_of(text)
        change = tree.get(path)
        if change is None and text not in pre.own and (kept := post.own.get(text)) is not None and kept.tracked:
            change = _unchanged(checkout, pre.tree, path)  # too big to store now, an ordinary tracked file before
        before = entry(pre, text, change, new=False, other=post)
        found[path] = (before, entry(post, text, change, new=True, other=pre))
    return found


def entry(manifest: Manifest, text: str, change: TreeChange | None, *, new: bool, other: Manifest) -> Entry:
    """One side. Without a `change` git's trees agree on the path and only permission bits differ."""
    if (own := manifest.own.get(text)) is not None:
        kind = _kind(own.signature.mode) if own.digest is not None else Kind.OTHER
        bits = stat.S_IMODE(own.signature.mode)
        return Entry(kind, bits, digest=own.digest, signature=own.signature, taken_ns=manifest.taken_ns)
    if text in other.own and change is None and not other.own[text].tracked:
        return ABSENT
    if text in other.surfaced and text not in manifest.surfaced:
        return ABSENT
    if text in manifest.nested:
        return Entry(Kind.OTHER)
    noted = manifest.raw.get(text) or manifest.seen.get(text)
    exact = noted.oid if noted is not None else None
    signature = noted.signature if noted is not None else None
    if change is None:
        if text in other.nested:
            return ABSENT
        twin = other.raw.get(text) or other.seen.get(text)
        known = exact or (twin.oid if twin is not None else None)
        executable = bool(twin is not None and twin.signature.mode & 0o100)
        return Entry(
            Kind.FILE, _bits(manifest, text, signature, executable), None, False, None, known, signature, manifest.taken_ns
        )
    mode, oid = (change.new_mode, change.new) if new else (change.old_mode, change.old)
    if not mode:
        return ABSENT
    if mode == _GITLINK:
        return Entry(Kind.OTHER)
    raw = text in manifest.raw
    if mode == _LINK:
        return Entry(Kind.LINK, 0o777, oid, True, None, oid, signature, manifest.taken_ns)
    bits = _bits(manifest, text, signature, mode == 0o100755)
    return Entry(Kind.FILE, bits, oid, raw, None, oid if raw else exact, signature, manifest.taken_ns)


def _bits(manifest: Manifest, text: str, signature: Signature | None, executable: bool) -> int:
    if signature is not None and stat.S_ISREG(signature.mode):
        return stat.S_IMODE(signature.mode)
    return manifest.modes.get(text, manifest.executable if executable else manifest.plain)


def _kind(mode: int) -> Kind:
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.FILE


def _unchanged(checkout: Checkout, tree: str, path: bytes) -> TreeChange | None:
    words = checkout.git.run("ls-tree", "-z", tree, "--", path, check=False).out.split(b"\t")[0].split()
    if len(words) != 3:
        return None
    mode, oid = int(words[0], 8), words[2].decode()
    return TreeChange(mode, mode, oid, oid)
