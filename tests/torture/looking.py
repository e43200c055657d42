"""Looking at a repository without touching it: files, index, and every byte that can still be found."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.torture.ground import Ground

_RPI = (b"supervisor.lock", b"execution-packet.json", b"phase-", b"phased-state.json", b"runs", b".")
OURS = (b".agents/evolve/", b".agents/ao/", *(b".agents/rpi/" + name for name in _RPI))
"""What the supervisor itself writes below `.agents/` (evolve.md sections 0.2 and 2)."""


def is_ours(path: bytes) -> bool:
    return path.startswith(OURS) or path in (b".agents", b".agents/rpi")


def oid(data: bytes) -> str:
    """Git's name for exactly these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree: `kind` is file, link or folder (empty ones only); `oid` of its bytes or its target."""

    kind: str
    mode: int
    oid: str


@dataclass(frozen=True, slots=True)
class Look:
    """A checkout at one moment: `files` outside git's and our own; `status` line by path; `index` entry by path and stage."""

    files: dict[bytes, Entry]
    status: dict[bytes, bytes]
    index: dict[bytes, bytes]


def files_of(top: Path, *, all_of_it: bool = False) -> dict[bytes, Entry]:
    """Every file, link and empty folder; `all_of_it` takes our own files in as well."""
    root = os.fsencode(top)
    found: dict[bytes, Entry] = {}
    for path in _walk(root):
        name = path[len(root) + 1 :]
        if not all_of_it and is_ours(name):
            continue
        facts = os.lstat(path)
        mode = stat.S_IMODE(facts.st_mode)
        if stat.S_ISLNK(facts.st_mode):
            found[name] = Entry("link", 0, oid(os.readlink(path)))
        elif stat.S_ISDIR(facts.st_mode):
            found[name] = Entry("folder", mode, "")
        elif stat.S_ISREG(facts.st_mode):
            found[name] = Entry("file", mode, oid(Path(os.fsdecode(path)).read_bytes()))
        else:
            found[name] = Entry("other", mode, "")
    return found


def _walk(root: bytes, top: bool = True) -> Iterator[bytes]:
    """Paths of files, links and empty folders below; git's own folder at the top is left out."""
    try:
        names = sorted(os.listdir(root))
    except PermissionError:
        return
    if not names:
        yield root
    for name in names:
        path = os.path.join(root, name)
        if top and name == b".git":
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            yield from _walk(path, top=False)
        else:
            yield path


def look(ground: Ground) -> Look:
    """The person's side of the checkout."""
    return Look(files_of(ground.repo), status_of(ground), index_of(ground))


def status_of(ground: Ground) -> dict[bytes, bytes]:
    """`git status --porcelain=v2` by path, our own files left out."""
    raw = ground.git("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", locks=False)
    found: dict[bytes, bytes] = {}
    for line in raw.split(b"\0"):
        if not line:
            continue
        fields = {b"1": 8, b"u": 10, b"?": 1}.get(line[:1], 1)
        path = line.split(b" ", fields)[-1]
        if not is_ours(path) and path != b".agents/":
            # A path that is staged as deleted and still lies there has two lines.
            found[path] = found.get(path, b"") + line[: len(line) - len(path)]
    return found


def index_of(ground: Ground) -> dict[bytes, bytes]:
    """Mode, object and flags of every index entry; `-t` tells skip-worktree, `--debug` intent-to-add."""
    found: dict[bytes, bytes] = {}
    for line in ground.git("ls-files", "--stage", "-t", "-z", locks=False).split(b"\0"):
        facts, _, path = line.partition(b"\t")
        if facts and not is_ours(path):
            found[path + b"\0" + facts.rsplit(b" ", 1)[-1]] = facts
    return found


def universe(ground: Ground) -> set[str]:
    """Every byte sequence that can still be found, by git's name for it: tree, refs, index, blobs of ours.

    What only the reflog or nothing at all reaches is not found: a `gc` takes it.
    """
    found = {entry.oid for entry in files_of(ground.repo, all_of_it=True).values() if entry.oid}
    found |= reachable(ground)
    found |= {facts.split()[2].decode() for facts in index_of(ground).values() if len(facts.split()) >= 3}
    blobs = ground.state / "blobs"
    for folder, _, names in os.walk(blobs):
        for name in names:
            with suppress(OSError):
                found.add(oid(Path(folder, name).read_bytes()))
    return found


def reachable(ground: Ground, tips: Sequence[str] = ("--all",)) -> set[str]:
    """Objects that refs (commits and trees alike) reach, or what these commits do."""
    raw = ground.git("rev-list", "--objects", "--no-object-names", "--ignore-missing", *tips) if tips else b""
    return set(raw.decode("ascii").split())


def commits_of(ground: Ground, revision: str = "HEAD") -> list[str]:
    return ground.git("rev-list", revision).decode().split()


def holds_commit(ground: Ground, sha: str) -> bool:
    """Whether any ref reaches the commit."""
    return sha in ground.git("rev-list", "--all").decode().split()
