"""Snapshots that nobody asks for any more: refs, manifests, and the contents that only they referred to."""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.core.errors import AoError
from agentops.host.entries import remove_folder
from agentops.host.files import remove
from agentops.host.folders import drop_folder
from agentops.host.git import Git
from agentops.tree.checkout import Checkout, shared
from agentops.tree.kept import Kept, kept
from agentops.tree.refs import read_ref
from agentops.tree.repository import Repository
from agentops.tree.snapshot import REFS, START

_DAY = 86_400.0
_YOUNG = 3600.0


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much of each kind was removed."""

    refs: int = 0
    manifests: int = 0
    blobs: int = 0


def prune(repository: Repository, git: Git, clock: Clock, *, days: float = 30.0) -> Pruned:
    """Remove what is older than `days`, and what held the last cycle's first commit; called when no cycle is open.

    A cycle goes as a whole, when its last snapshot is that old. Safe beside a running session of another work tree: nothing
    younger than an hour is touched.
    """
    checkout = shared(repository, git, clock)
    now = clock.now().wall
    _drop_old_scratch(checkout, now)
    if read_ref(repository.common_dir, START) is not None:
        git.run("update-ref", "-d", START, writes=True)
    by_cycle: dict[tuple[str, int], list[Kept]] = {}
    for one in kept(checkout):
        by_cycle.setdefault((one.run, one.cycle), []).append(one)
    limit = now - max(days * _DAY, _YOUNG)
    old = {cycle: found for cycle, found in by_cycle.items() if max(_changed(one.path) for one in found) < limit}
    if not old:
        return Pruned()
    refs = _refs_of(git, set(old))
    if refs:
        git.run("update-ref", "--stdin", stdin="".join(f"delete {ref}\n" for ref in refs).encode(), writes=True)
    removed = sum(remove(one.path) for found in old.values() for one in found)
    for run, cycle in old:
        aside = os.path.dirname(checkout.aside(run, cycle, "x"))
        if os.path.isdir(aside):
            drop_folder(aside)
        folder = checkout.snapshots(run, cycle)
        remove_folder(folder)
        remove_folder(os.path.dirname(folder))
    checkout.forget()  # what it remembers may have been held by these refs alone
    return Pruned(len(refs), removed, _sweep(checkout, now))


def _refs_of(git: Git, cycles: set[tuple[str, int]]) -> list[str]:
    """Full names of the refs of these cycles."""
    # here, not above: it takes longer than all else that a start imports, and does not import at all without git
    from git.refs import Reference

    from agentops.host.gitpython import open_repo  # tens of milliseconds that only a pruning session pays

    names = [str(ref.path) for ref in Reference.iter_items(open_repo(git), REFS.rstrip("/"))]
    return sorted(name for name in names if _cycle_of(name) in cycles)


def _cycle_of(ref: str) -> tuple[str, int] | None:
    parts = ref[len(REFS) :].split("/")
    return (parts[0], int(parts[1])) if len(parts) == 3 and parts[1].isdigit() else None


def _sweep(checkout: Checkout, now: float) -> int:
    """Contents that no manifest refers to. One that can't be read keeps everything: losing a key file is worse."""
    used: set[str] = set()
    try:
        for one in kept(checkout):
            manifest = one.manifest()
            used.add(manifest.index)
            used |= {own.digest for own in (*manifest.own.values(), *manifest.control.values()) if own.digest is not None}
    except AoError:
        return 0
    stored = checkout.blobs.digests()
    return sum(remove(path) for digest, path in stored.items() if digest not in used and _changed(path) < now - _YOUNG)


def _drop_old_scratch(checkout: Checkout, now: float) -> None:
    """Temporary files that a crash left."""
    folder = os.path.join(checkout.repository.state, "tmp")
    for one in os.scandir(folder) if os.path.isdir(folder) else ():
        if _changed(one.path) < now - _DAY and not one.is_dir(follow_symlinks=False):
            remove(one.path)


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return float("inf")
