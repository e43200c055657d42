"""Contents into git's object store and out of it, byte for byte: no filter, no conversion, a process for many.

Going in they travel as one pack (gitformat-pack(5)): its reader syncs the disk once for all of them, where one object
at a time costs a sync each (design-review E6), and it reads neither files nor attributes.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence

from agentops.core.errors import EnvironmentUnusable
from agentops.host.faults import fault
from agentops.host.git import Git

_BLOB = 3
_BATCH = 64 * 1024 * 1024
_LOOSE = 500  # above, one pack file is kept instead of that many loose objects


def blob_id(data: bytes, width: int = 20) -> str:
    """The id under which git stores these bytes. `width`: bytes of an object id (20: SHA-1, 32: SHA-256)."""
    kind = hashlib.sha1 if width == 20 else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def pack(blobs: Sequence[bytes], width: int = 20) -> bytes:
    """A pack stream of whole blobs."""
    parts = [b"PACK" + (2).to_bytes(4, "big") + len(blobs).to_bytes(4, "big")]
    for blob in blobs:
        size = len(blob)
        head, size = _BLOB << 4 | size & 15, size >> 4
        lead = bytearray()
        while size:
            lead.append(head | 0x80)
            head, size = size & 0x7F, size >> 7
        lead.append(head)
        parts += [bytes(lead), zlib.compress(blob, 1)]
    body = b"".join(parts)
    kind = hashlib.sha1 if width == 20 else hashlib.sha256
    return body + kind(body, usedforsecurity=False).digest()


def store(git: Git, blobs: Iterable[bytes], width: int = 20) -> None:
    """Durably into the object store."""
    for batch in _batches(blobs):
        fault("objects.store.before")
        if len(batch) > _LOOSE:
            git.run("index-pack", "--stdin", stdin=pack(batch, width), durable=True, writes=True)
        else:
            git.run("unpack-objects", "-q", stdin=pack(batch, width), durable=True, writes=True)
        fault("objects.store.after")


def _batches(blobs: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for blob in blobs:
        if batch and size + len(blob) > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(blob)
        size += len(blob)
    if batch:
        yield batch


def sizes(git: Git, oids: Sequence[str]) -> dict[str, int]:
    """Sizes in bytes. Raises EnvironmentUnusable when one is missing."""
    out = git.run("cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in oids).encode()).out
    found: dict[str, int] = {}
    for line in out.splitlines():
        words = line.split()
        if len(words) != 3:
            raise EnvironmentUnusable(f"git has lost an object that a snapshot needs: {line.decode()}", mend="git fsck")
        found[words[0].decode()] = int(words[2])
    return found


def batches_by_size(git: Git, oids: Iterable[str]) -> Iterator[list[str]]:
    """Ids in groups that fit in memory together."""
    wanted = list(dict.fromkeys(oids))
    if len(wanted) == 1:
        yield wanted
        return
    size_of = sizes(git, wanted) if wanted else {}
    batch: list[str] = []
    total = 0
    for oid in wanted:
        if batch and total + size_of[oid] > _BATCH:
            yield batch
            batch, total = [], 0
        batch.append(oid)
        total += size_of[oid]
    if batch:
        yield batch


def read(git: Git, oids: Sequence[str]) -> dict[str, bytes]:
    """The raw contents of these objects, all at once."""
    if not oids:
        return {}
    out = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode()).out
    return dict(zip(oids, parse_batch(out, len(oids)), strict=True))


def parse_batch(out: bytes, count: int) -> list[bytes]:
    """The contents in the answer of `cat-file --batch`, in order."""
    found: list[bytes] = []
    at = 0
    while len(found) < count:
        end = out.find(b"\n", at)
        words = out[at:end].split(b" ") if end >= 0 else []
        if len(words) < 3 or not words[-1].isdigit():
            said = out[at : max(end, at)].decode("utf-8", "replace")
            raise EnvironmentUnusable(f"git has lost an object that a snapshot needs: {said}", mend="git fsck")
        size = int(words[-1])
        found.append(out[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return found
