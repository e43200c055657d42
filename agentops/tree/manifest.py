"""What a snapshot knows beyond its git tree; our own JSON file, written once and never changed.

Paths are the text of `core.paths`, relative to the top. Times are nanoseconds since the epoch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import msgspec

from agentops.core import wire
from agentops.core.errors import EnvironmentUnusable
from agentops.core.paths import raw_of, text_of
from agentops.host.files import ensure_folder, write_atomic
from agentops.tree.blobs import DAMAGED

VERSION = 1
_COARSE_NS, _FINE_NS = 2_000_000_000, 50_000_000


@dataclass(frozen=True, slots=True)
class Signature:
    """Facts by which a file that nobody touched is known again without reading it. `mode`: the whole `st_mode`."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int

    @classmethod
    def of(cls, facts: os.stat_result) -> Signature:
        return cls(facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode)

    def settled(self, taken_ns: int) -> bool:
        """It was old enough when it was taken: a later write in the same tick of the file system's clock would not show."""
        coarse = self.mtime_ns % 1_000_000_000 == 0 and self.ctime_ns % 1_000_000_000 == 0
        return max(self.mtime_ns, self.ctime_ns) + (_COARSE_NS if coarse else _FINE_NS) < taken_ns


@dataclass(frozen=True, slots=True)
class Raw:
    """A path whose bytes are in the snapshot's tree as they are. `oid`: git's id of exactly these bytes."""

    oid: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Own:
    """A path that is kept beside the tree. `digest` None: by signature only (too big, unreadable, a nested repository).

    `ignored`: git ignores it. `tracked`: the index has it.
    """

    signature: Signature
    digest: str | None = None
    ignored: bool = False
    tracked: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """See the fields' groups: where HEAD was; the index; contents; folders and modes; git's own files.

    `dirty`: every path that git did not call clean, staged ones included. `gone`: tracked paths without a file.
    `unseen`: ignored files and folders that were there and are not held. `surfaced`: files present in spite of
    skip-worktree. `modes`: permission bits other than `plain` and `executable`, the usual ones of this tree.
    `control`: git's own configuration and hooks. `operations`: of git, waiting for a person. `seen`: exact bytes and
    signature of changed paths, for telling later whether they are still as this snapshot found them. `index_tree`: a tree
    of what is staged, where that is held by nothing else.
    """

    version: int
    taken_ns: int
    tree: str
    head: str
    branch: str | None
    start_branch: str
    branch_tip: str | None
    log_size: int
    log_last: str
    index: str
    index_mtime_ns: int
    index_tree: str = ""
    staged: bool = False
    raw: dict[str, Raw] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    dirty: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    own: dict[str, Own] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    surfaced: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    folder_modes: dict[str, int] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    plain: int = 0o644
    executable: int = 0o755
    folder: int = 0o755
    control: dict[str, Own] = field(default_factory=dict)
    operations: tuple[str, ...] = ()
    filters: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: dict[str, Raw] = field(default_factory=dict)


def save(manifest: Manifest, folder: str, name: str) -> str:
    """Write durably beside the earlier ones of that name, never over one. Returns the path as the text of `core.paths`: the
    journal holds it, and the repository's folder may have a name that is no text.
    """
    ensure_folder(folder)
    number = 1
    while os.path.lexists(path := os.path.join(folder, f"{name}-{number}.json")):
        number += 1
    write_atomic(path, wire.dump(manifest), mode=0o600)
    return text_of(os.fsencode(path))


def load(path: str) -> Manifest:
    """What `save` wrote; `path` as it returned it, or as the system has it.

    Raises EnvironmentUnusable when it can't be read; without it nothing may be put back.
    """
    try:
        with open(path if os.path.lexists(path) else raw_of(path), "rb") as file:
            found = wire.record(Manifest, wire.parse(file.read()))
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise EnvironmentUnusable(f"A snapshot's record can't be read: {path} ({error}).", mend=DAMAGED) from error
    if found.version != VERSION:
        raise EnvironmentUnusable(f"{path} was written by another version of ao ({found.version}).", mend="ao --version")
    return found
