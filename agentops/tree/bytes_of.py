"""The bytes that a file has to have for an entry, a process for many; and whether it has them now."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence

from agentops.core.errors import EnvironmentUnusable
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Signature
from agentops.tree.objects import batches_by_size, blob_id, read
from agentops.tree.settings import Filters
from agentops.tree.sides import Entry, Kind


def contents(checkout: Checkout, wanted: Mapping[bytes, Entry], filters: Filters) -> Iterator[dict[bytes, bytes]]:
    """The bytes of each path, in portions that fit in memory. Entries without content must not be among them.

    A path that was clean is what git would check out: end of lines, encodings and the start's own filters included.
    """
    own = {path: one for path, one in wanted.items() if one.digest is not None}
    for path, one in own.items():
        yield {path: checkout.blobs.get(one.digest or "")}
    by_oid: dict[str, list[bytes]] = {}
    for path, one in wanted.items():
        if path not in own and one.oid is not None:
            by_oid.setdefault(one.oid, []).append(path)
    for batch in batches_by_size(checkout.git, by_oid):
        paths = [path for oid in batch for path in by_oid[oid]]
        plain = [oid for oid in batch if any(wanted[path].raw for path in by_oid[oid])]
        found = read(checkout.git, plain)
        ready = {path: found[wanted[path].oid or ""] for path in paths if wanted[path].raw}
        clean = [path for path in paths if not wanted[path].raw]
        yield {**ready, **_checked_out(checkout, clean, wanted, filters)}


def _checked_out(
    checkout: Checkout, paths: Sequence[bytes], wanted: Mapping[bytes, Entry], filters: Filters
) -> dict[bytes, bytes]:
    """`cat-file --filters` says the size before conversion, so an object that can't exist is asked for after each one:
    its answer marks the end."""
    if not paths:
        return {}
    end = b"\n" if not any(b"\n" in path for path in paths) else b"\0"
    token = hashlib.sha256(b"\0".join(paths) + os.urandom(16)).hexdigest()[:32].encode() + b"-none"
    feed = b"".join(b"%s %s%s%s -%s" % ((wanted[path].oid or "").encode(), path, end, token, end) for path in paths)
    options = ("-z",) if end == b"\0" else ()
    out = checkout.filtered("cat-file", "--batch", "--filters", *options, filters=filters, stdin=feed).out
    answers = out.split(b"\n" + token + b" missing\n")
    if len(answers) != len(paths) + 1:
        raise EnvironmentUnusable("git did not give back what a snapshot holds.", mend="git fsck")
    return {path: answer.partition(b"\n")[2] for path, answer in zip(paths, answers, strict=False)}


def is_now(checkout: Checkout, path: bytes, one: Entry, expected: bytes | None = None) -> bool | None:
    """The tree holds exactly this entry at the path. None: only its contents could tell, and they were not given."""
    facts = checkout.look(path)
    if one.kind is Kind.ABSENT:
        return facts is None or stat.S_ISDIR(facts.st_mode)
    if facts is None:
        return False
    if one.kind is Kind.OTHER:
        return _same_other(one, facts)
    fits = stat.S_ISLNK(facts.st_mode) if one.kind is Kind.LINK else stat.S_ISREG(facts.st_mode)
    if not fits or (one.kind is Kind.FILE and stat.S_IMODE(facts.st_mode) != one.bits):
        return False
    return holds(checkout, path, one, facts, expected)


def holds(checkout: Checkout, path: bytes, one: Entry, facts: os.stat_result, expected: bytes | None = None) -> bool | None:
    """As `is_now`, for the contents alone."""
    if one.signature is not None and one.signature == Signature.of(facts) and one.signature.settled(one.taken_ns):
        return True
    try:
        data, _ = checkout.read(path)
    except OSError:
        return False
    if one.digest is not None:
        return hashlib.sha256(data).hexdigest() == one.digest
    if one.exact is not None:
        return blob_id(data, checkout.width) == one.exact
    return None if expected is None else data == expected


def _same_other(one: Entry, facts: os.stat_result) -> bool:
    if one.signature is None:
        return stat.S_ISDIR(facts.st_mode)
    if stat.S_ISDIR(one.signature.mode):
        return stat.S_ISDIR(facts.st_mode) and facts.st_ino == one.signature.inode
    old = one.signature
    return (old.size, old.mtime_ns, old.inode) == (facts.st_size, facts.st_mtime_ns, facts.st_ino)
