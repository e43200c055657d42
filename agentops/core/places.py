"""Where work happens: a Place owns the start of a cycle, its effect, keeping it and taking it back."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from agentops.core.clock import Instant
from agentops.core.processes import Limits, Spec


class Purpose(StrEnum):
    """What a process in a place is for; decides its environment and what it may write."""

    AGENT = "agent"
    FIX = "fix"
    CHECK = "check"


class Change(StrEnum):
    """How one path differs between two snapshots."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The place at one moment, byte for byte within the caps of evolve.md section 6.

    `tree`: a git tree whose blobs are the raw bytes of every path (dirty and untracked ones unfiltered).
    `manifest`: absolute path of our own file with what git cannot say (full modes, empty folders, the index, ignored
    files). `branch` is None on a detached HEAD. `beyond`: paths that are protected by signature only.
    """

    tree: str
    head: str
    branch: str | None
    manifest: str
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a cycle: everything that judging and taking back compare with."""

    cycle: int
    run: str
    at: Instant
    pre: Snapshot


@dataclass(frozen=True, slots=True)
class Effect:
    """What a cycle changed: the difference of two snapshots, both taken while nothing of ours ran.

    `paths`: every path whose content, kind or mode differs, our own right files (`kept_anyway`) included.
    `commits`: new commits that carry our reflog mark, oldest first; `foreign`: new ones that do not.
    `swept`: paths that were dirty or untracked at the start and are in the cycle's commits.
    `contested`: paths known to be changed by someone else as well. `moved`: the branch or its ancestry left the start's.
    `ignored`: changed files that git does not track and ignores, within the caps. `tampered`: what changed inside the
    git folder that decides what git runs (`config`, `hooks/…`, `info/…`), as paths below `.git/`.
    """

    post: Snapshot
    paths: Mapping[str, Change] = field(default_factory=dict)
    ignored: Mapping[str, Change] = field(default_factory=dict)
    commits: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    swept: frozenset[str] = frozenset()
    contested: frozenset[str] = frozenset()
    kept_anyway: frozenset[str] = frozenset()
    tampered: frozenset[str] = frozenset()
    moved: bool = False

    @property
    def empty(self) -> bool:
        """Nothing differs that git would see, and no commit of ours was made."""
        return not (self.paths or self.commits)


@dataclass(frozen=True, slots=True)
class Settled:
    """What keeping or taking back did. `sha`: HEAD afterwards; `contested`: left exactly as someone else left it."""

    sha: str
    commits: tuple[str, ...] = ()
    contested: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


class Startable(Protocol):
    """Where processes can be started: the part of a place that measuring needs."""

    def spec(
        self,
        argv: Sequence[str],
        purpose: Purpose,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
        writable: Sequence[str] = (),
        merged: bool = False,
        start: Start | None = None,
    ) -> Spec:
        """A process in this place: same mounts for agents, fixers and checks. `start` marks its commits as the cycle's."""
        ...


class Place(Startable, Protocol):
    """in-place | overlay | worktree | candidate. Every act is idempotent: after a crash it is simply called again."""

    name: str
    path: str

    def begin(self, cycle: int) -> Start:
        """Take the snapshot `pre`. Nothing of ours may run meanwhile."""
        ...

    def effect(self, start: Start) -> Effect:
        """Take the snapshot `post` and say what differs."""
        ...

    def keep(self, start: Start, effect: Effect, title: str) -> Settled:
        """Commit what is uncommitted on paths that were clean, rebuild swept paths out of the cycle's commits."""
        ...

    def take_back(self, start: Start, effect: Effect) -> Settled:
        """Put back every path that still equals `post`; leave the others alone and name them."""
        ...

    def set_aside(self, start: Start, effect: Effect) -> frozenset[str]:
        """For a while: the tree as at the start, the work safe in `post`, no commit made. Returns what was left alone."""
        ...

    def park(self, start: Start, effect: Effect) -> None:
        """Keep `effect.post` under the cycle's `parked` name, which no later snapshot of the cycle replaces."""
        ...

    def bring_back(self, start: Start, effect: Effect) -> frozenset[str]:
        """Undo `set_aside`: put `post` back on every path that still equals the start."""
        ...

    def tidy(self, since: Snapshot, leave: Container[str] = frozenset()) -> frozenset[str]:
        """Put back what checks of ours changed in the tree since `since` (saved first); returns those paths.

        Ignored files and `leave` (our own state) are left alone.
        """
        ...

    def same(self, one: Snapshot, other: Snapshot) -> bool:
        """Whether two snapshots hold the same files outside `.agents/`."""
        ...
