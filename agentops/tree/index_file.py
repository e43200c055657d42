"""Git's index file, read without a process. Format: gitformat-index(5), versions 2 to 4, SHA-1 and SHA-256."""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from agentops.core.errors import EnvironmentUnusable

_ASSUME, _EXTENDED, _STAGE, _NAME = 0x8000, 0x4000, 0x3000, 0x0FFF
_SKIP, _INTENT = 0x4000, 0x2000
_ODD = _ASSUME | _EXTENDED | _STAGE


class IndexEntry(NamedTuple):
    """One entry without its cached file times. `oid` in hex."""

    path: bytes
    stage: int
    mode: int
    oid: str
    assume: bool = False
    skip: bool = False
    intent: bool = False


def entries(data: bytes, width: int = 20, only: Container[bytes] | None = None) -> dict[bytes, tuple[IndexEntry, ...]]:
    """All entries by path (several for a conflict), or those of `only`. `width`: bytes of an object id."""
    found: dict[bytes, tuple[IndexEntry, ...]] = {}
    # Nearly all entries are plain ones, and there are thousands, read several times a cycle: no constructor for them.
    facts, new = struct.Struct(f">24xL12x{width}s").unpack_from, tuple.__new__
    for path, flags, more, at in _walk(data, width):
        if only is not None and path not in only:
            continue
        if not flags & _ODD:
            mode, oid = facts(data, at)
            found[path] = (new(IndexEntry, (path, 0, mode, oid.hex(), False, False, False)),)
            continue
        mode = int.from_bytes(data[at + 24 : at + 28], "big")
        oid = data[at + 40 : at + 40 + width].hex()
        stage = (flags & _STAGE) >> 12
        entry = IndexEntry(path, stage, mode, oid, bool(flags & _ASSUME), bool(more & _SKIP), bool(more & _INTENT))
        found[path] = (*found.get(path, ()), entry)
    return found


def hidden(data: bytes, width: int = 20) -> tuple[dict[bytes, int], set[bytes]]:
    """Entries whose files git does not look at: (assume-unchanged with their modes, skip-worktree)."""
    assumed: dict[bytes, int] = {}
    skipped: set[bytes] = set()
    for path, flags, more, at in _walk(data, width, flagged_only=True):
        if more & _SKIP:
            skipped.add(path)
        elif flags & _ASSUME:
            assumed[path] = int.from_bytes(data[at + 24 : at + 28], "big")
    return assumed, skipped


def outrun(data: bytes, stamps: Mapping[bytes, tuple[int, int]], width: int = 20) -> list[tuple[bytes, int, str]]:
    """Files that changed in the very second in which git last looked: (path, mode, id in the index).

    Git compares whole seconds, so a change that keeps size and mtime (`cp -p`, `touch -r`) escapes it. `stamps`: (ctime,
    mtime) in nanoseconds by path. Entries without nanoseconds prove nothing.
    """
    found = []
    facts, second = struct.Struct(">LLLL").unpack_from, 1_000_000_000
    for path, flags, _, at in _walk(data, width):
        stamp = stamps.get(path)
        if stamp is None or flags & _STAGE:
            continue
        seconds, nanos, mtime, mtime_nanos = facts(data, at)
        ctime_now, mtime_now = stamp
        if not (nanos or mtime_nanos) or (seconds * second + nanos == ctime_now and mtime * second + mtime_nanos == mtime_now):
            continue
        if seconds == ctime_now // second and mtime == mtime_now // second:
            mode = int.from_bytes(data[at + 24 : at + 28], "big")
            found.append((path, mode, data[at + 40 : at + 40 + width].hex()))
    return found


def is_split(data: bytes, width: int = 20) -> bool:
    """The file holds only differences to a shared index (extension `link`): its entries alone say too little."""
    return _extension_at(data, width, b"link") >= 0


def _extension_at(data: bytes, width: int, name: bytes) -> int:
    # The signature may also occur inside entries, so a hit only counts where its length leads on to a sane place.
    at = data.find(name)
    while at >= 0:
        if at + 8 <= len(data):
            end = at + 8 + int.from_bytes(data[at + 4 : at + 8], "big")
            if end == len(data) - width or (end < len(data) - width and data[end : end + 4].isalpha()):
                return at
        at = data.find(name, at + 1)
    return -1


def _walk(data: bytes, width: int, flagged_only: bool = False) -> Iterator[tuple[bytes, int, int, int]]:
    """(path, flags, extended flags, offset) of each entry; `flagged_only`: of those with assume, skip or intent bits."""
    if not data:
        return
    signature, version, count = struct.unpack_from(">4sLL", data) if len(data) >= 12 else (b"", 0, 0)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise EnvironmentUnusable(f"git's index is damaged or of an unknown version ({version}).", mend="git status")
    at, fixed, previous = 12, 40 + width + 2, b""
    for _ in range(count):
        flags = data[at + fixed - 2] << 8 | data[at + fixed - 1]
        name_at, more = at + fixed, 0
        if flags & _EXTENDED:
            more = data[name_at] << 8 | data[name_at + 1]
            name_at += 2
        if version == 4:
            cut, name_at = _varint(data, name_at)
            end = data.index(b"\0", name_at)
            previous = previous[: len(previous) - cut] + data[name_at:end]
            path, after = previous, end + 1
        else:
            length = flags & _NAME
            if length == _NAME:
                length = data.index(b"\0", name_at) - name_at
            after = at + ((name_at - at + length + 8) & ~7)
            if flagged_only and not (more or flags & _ASSUME):
                at = after
                continue
            path = data[name_at : name_at + length]
        if not flagged_only or more or flags & _ASSUME:
            yield path, flags, more, at
        at = after


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value, at = byte & 0x7F, at + 1
    while byte & 0x80:
        byte = data[at]
        value, at = ((value + 1) << 7) | (byte & 0x7F), at + 1
    return value, at
