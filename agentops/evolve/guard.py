"""Keeps our own records safe from what a cycle does to them (loop-peers C2-22): remembered before, put back after.

Small files are remembered whole. Of a large ledger the end is remembered, and a hard link in our state keeps its content
when it is deleted or replaced; only rewriting it in place is beyond us, and is said.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from agentops.evolve.way import clear_the_way, in_the_way
from agentops.host import files, spans

WHOLE_BYTES = 2 * 1024 * 1024
TAIL_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Memory:
    """`content` is None for a large file, which `size` and `tail` then describe; both None for one that was not there."""

    facts: tuple[int, int, int, int] | None
    content: bytes | None
    tail: str | None


class StateGuard:
    """`top`: the repository's top; `names`: our files below it; `links`: our folder on the same file system."""

    def __init__(self, top: str, names: Sequence[str], links: str) -> None:
        self._top = top
        self._names = tuple(names)
        self._links = links
        self._memory: dict[str, _Memory] = {}

    def remember(self) -> None:
        """Look at every file; one that did not change since the last look costs one `stat`."""
        for name in self._names:
            known = self._memory.get(name)
            facts = _facts(self._at(name))
            if known is None or known.facts != facts:
                self._memory[name] = self._look(name, facts)

    def put_back(self) -> dict[str, str]:
        """Put back what changed; the changed names, each with what was done about it."""
        done: dict[str, str] = {}
        for name, known in self._memory.items():
            now = _facts(self._at(name))
            blocked = next(in_the_way(self._top, name), None) is not None
            if (blocked or now != known.facts) and (said := self._mend(name, known, now)) is not None:
                done[name] = said
            if now != known.facts:
                self._memory[name] = self._look(name, _facts(self._at(name)))
        return done

    def make_way(self) -> None:
        """After a crash nothing is remembered: only what stands where our files belong moves aside."""
        for name in self._names:
            if next(in_the_way(self._top, name), None) is not None:
                clear_the_way(self._top, name)

    def _look(self, name: str, facts: tuple[int, int, int, int] | None) -> _Memory:
        if facts is None:
            return _Memory(None, None, None)
        at = self._at(name)
        if facts[0] <= WHOLE_BYTES:
            return _Memory(facts, files.read_bounded(at, WHOLE_BYTES), None)
        spans.link_again(at, self._link(name))
        return _Memory(facts, None, _digest(at, facts[0]))

    def _mend(self, name: str, known: _Memory, now: tuple[int, int, int, int] | None) -> str | None:
        at = self._at(name)
        moved = clear_the_way(self._top, name)
        if known.facts is None:
            files.remove(at)
            return "what stood there was moved aside" if moved else "removed: the cycle had made it"
        if known.content is not None:
            if now is not None and files.read_bounded(at, WHOLE_BYTES + 1) == known.content:
                return None
            files.write_atomic(at, known.content, mode=known.facts[3])
            return "put back"
        size = known.facts[0]
        if now is not None and now[0] >= size and _digest(at, size) == known.tail:
            if now[0] == size:
                return None
            spans.cut(at, size)
            return "what was appended is cut off again"
        link = self._link(name)
        linked = _facts(link)
        if linked is not None and linked[0] >= size and _digest(link, size) == known.tail:
            files.copy_file(link, at)
            return "put back"
        return "rewritten in place and too large to put back; its last good state is in the snapshot of this cycle, if any"

    def _at(self, name: str) -> str:
        return os.path.join(self._top, name)

    def _link(self, name: str) -> str:
        return os.path.join(self._links, name.replace("/", "-"))


def _facts(path: str) -> tuple[int, int, int, int] | None:
    """Size, modification time, inode and mode of a plain file; None for anything else."""
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    return seen.st_size, seen.st_mtime_ns, seen.st_ino, seen.st_mode & 0o7777


def _digest(path: str, size: int) -> str:
    """Hash of the last bytes before `size`: what an append leaves alone and a rewrite does not."""
    return hashlib.sha256(spans.read_span(path, max(0, size - TAIL_BYTES), size)).hexdigest()
