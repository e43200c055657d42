"""The tree at one moment, byte for byte within the caps, without touching a file or the person's index.

Recipe (design-review E5, E6): the index is copied as a file with its time, git names what is not clean against that copy,
those paths are stored raw, a private index turns all into a tree, and a ref to that tree keeps it. Everything is on the
disk before the caller hears of it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

from agentops.core.errors import GitFailed
from agentops.core.paths import raw_of, text_of
from agentops.core.places import Snapshot
from agentops.host.faults import fault
from agentops.host.files import copy_file
from agentops.tree import control
from agentops.tree.checkout import Checkout
from agentops.tree.contents import Contents
from agentops.tree.index_file import hidden, is_split, outrun
from agentops.tree.index_lock import clear_own
from agentops.tree.manifest import VERSION, Manifest, save
from agentops.tree.refs import BRANCHES, log_end, read_ref
from agentops.tree.repository import OPERATION_FILES
from agentops.tree.scan import scan
from agentops.tree.settings import Filters
from agentops.tree.status import STATUS, Status, parse

REFS = "refs/ao/"
START = "refs/ao/start"
"""The commit on which the running cycle began. Snapshots refer to trees, which keep no commit alive: an agent that moved the
branch and collected garbage would take the person's last commit with it. Removed at a session's end (`prune`)."""


def take(checkout: Checkout, before: Manifest | None = None) -> Manifest:
    """Look at the tree as it is now; contents and tree are stored, nothing refers to them yet (`hold` does).

    `before`: the snapshot that this one will be compared with. Nothing of ours may run meanwhile.
    """
    fault("snapshot.take.before")
    clear_own(checkout)
    try:
        return _take(checkout, before)
    except GitFailed:
        if not checkout.forget():
            raise
        return _take(checkout, before)  # somebody's gc has removed what we remembered and no ref held yet


def _take(checkout: Checkout, before: Manifest | None) -> Manifest:
    repository = checkout.repository
    taken_ns = int(checkout.clock.now().wall * 1e9)
    copy, index, index_mtime_ns = _copy_index(checkout)
    unwatched = hidden(index, checkout.width)
    head = checkout.head()
    digest = checkout.blobs.put([index])[0]
    filters = checkout.settings.filters() if before is None else before.filters
    status = parse(_status(checkout, copy, filters))
    usual = None if before is None else (before.plain, before.executable, before.folder)
    walked = scan(checkout.top, status.ignored, usual)
    contents = Contents(checkout, taken_ns)
    contents.gather(status, walked, unwatched, before)
    outran = contents.outrun(_suspects(checkout, digest, index, walked.stamps))
    contents.surface(_came_back(checkout, before, digest, unwatched[1]))
    index_tree = _staged_tree(checkout, status, copy, digest)
    tree = _tree(checkout, status, contents, copy, digest, head.sha or checkout.zero)
    start_branch = before.start_branch if before is not None else head.branch or repository.branch
    log = log_end(repository.git_dir)
    dirty = {*outran, *status.tracked, *status.unmerged, *status.untracked, *status.nested}
    return Manifest(
        version=VERSION,
        taken_ns=taken_ns,
        tree=tree,
        head=head.sha or checkout.zero,
        branch=head.branch,
        start_branch=start_branch,
        branch_tip=read_ref(repository.common_dir, BRANCHES + start_branch),
        log_size=log.size,
        log_last=log.last,
        index=digest,
        index_mtime_ns=index_mtime_ns,
        index_tree=index_tree,
        staged=status.staged,
        raw=contents.raw,
        gone=tuple(sorted(contents.gone)),
        dirty=tuple(sorted({*map(text_of, dirty), *contents.surfaced, *map(text_of, unwatched[0])})),
        untracked=tuple(sorted(map(text_of, status.untracked))),
        nested=tuple(sorted(map(text_of, walked.nested))),
        own=contents.own,
        unseen=tuple(sorted(contents.unseen)),
        surfaced=tuple(sorted(contents.surfaced)),
        folders=tuple(sorted(map(text_of, walked.folders))),
        folder_modes={text_of(path): bits for path, bits in walked.folders.items() if bits != walked.folder},
        modes={text_of(path): bits for path, bits in walked.modes.items()},
        plain=walked.plain,
        executable=walked.executable,
        folder=walked.folder,
        control=control.watch(checkout, before),
        operations=tuple(name for name in OPERATION_FILES if os.path.lexists(os.path.join(repository.git_dir, name))),
        filters={name: dict(given) for name, given in filters.items()},
    )


def hold(checkout: Checkout, manifest: Manifest, run: str, cycle: int, name: str) -> Snapshot:
    """Give the snapshot its ref and its file. An earlier one of that name keeps a ref of its own: nothing gets lost."""
    ref = f"{REFS}{run}/{cycle}/{name}"
    lines = [f"update {ref} {manifest.tree}\n"]
    earlier = read_ref(checkout.repository.common_dir, ref)
    if earlier is not None and earlier != manifest.tree:
        lines.append(f"update {ref}-{earlier[:12]} {earlier}\n")
    if manifest.index_tree:
        lines.append(f"update {ref}-index {manifest.index_tree}\n")
    if name == "pre" and manifest.head != checkout.zero and read_ref(checkout.repository.common_dir, START) != manifest.head:
        lines.append(f"update {START} {manifest.head}\n")
    if earlier != manifest.tree or len(lines) > 1:
        checkout.git.run("update-ref", "--stdin", stdin="".join(lines).encode(), durable=True, writes=True)
    path = save(manifest, checkout.snapshots(run, cycle), name)
    beyond = tuple(sorted(text for text, own in manifest.own.items() if own.digest is None and not own.ignored))
    return Snapshot(manifest.tree, manifest.head, manifest.branch, path, beyond)


def with_seen(manifest: Manifest, checkout: Checkout, paths: frozenset[bytes]) -> Manifest:
    """The manifest with the exact bytes of these paths noted, so that a later look can tell whether they still are."""
    contents = Contents(checkout, manifest.taken_ns)
    contents.note(paths)
    return replace(manifest, seen=contents.raw)


def _copy_index(checkout: Checkout) -> tuple[str, bytes, int]:
    """A private copy of the index: its path, its bytes, the time of the original."""
    copy = checkout.scratch("index")
    try:
        copy_file(checkout.index_path, copy)
    except FileNotFoundError:
        return copy, b"", 0
    mtime_ns = os.stat(copy).st_mtime_ns
    index = _bytes(copy)
    if is_split(index, checkout.width):
        # Half an index proves nothing later: its other half is git's to expire.
        checkout.private("-c", "core.splitIndex=false", "update-index", "--no-split-index", index=copy)
        index = _bytes(copy)
    return copy, index, mtime_ns


def _status(checkout: Checkout, copy: str, filters: Filters) -> bytes:
    """Without the person's own filters (git-lfs) a file that git has to look into again would seem to be changed."""
    if not filters:
        return checkout.git.run(*STATUS, index=copy).out
    return checkout.filtered(*STATUS, filters=filters, index=copy).out


def _suspects(
    checkout: Checkout, digest: str, index: bytes, stamps: dict[bytes, tuple[int, int]]
) -> list[tuple[bytes, int, str]]:
    """See `outrun`; files whose times were compared with this very index before are not compared again."""
    known = checkout.proven[1] if checkout.proven[0] == digest else {}
    fresh = dict(stamps.items() - known.items()) if known else stamps
    found = outrun(index, fresh, checkout.width) if fresh else []
    proven = dict(stamps)
    for path, _, _ in found:
        del proven[path]
    checkout.proven = digest, proven
    return found


def _came_back(checkout: Checkout, before: Manifest | None, digest: str, skipped: set[bytes]) -> set[bytes]:
    """Files that were left out of the checkout (skip-worktree) and whose entries do not say so any more."""
    if before is None or before.index == digest:
        return set()
    index = checkout.blobs.get(before.index)
    if len(index) < 8 or index[7] < 3:  # version 2 of the format knows no such flag
        return set()
    return hidden(index, checkout.width)[1] - skipped - {raw_of(text) for text in before.surfaced}


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _staged_tree(checkout: Checkout, status: Status, copy: str, digest: str) -> str:
    """What is staged is referred to by the index alone; a tree of it keeps it, also through a `gc` of the agent's. The raw
    tree does not: the file may have been changed since, or hold other line endings.
    """
    if status.unmerged or not any(one.staged not in ".D" for one in status.tracked.values()):
        return ""
    if digest not in checkout.trees:
        checkout.trees[digest] = checkout.private("write-tree", index=copy, durable=True).text
    return checkout.trees[digest]


def _tree(checkout: Checkout, status: Status, contents: Contents, copy: str, digest: str, head: str) -> str:
    lines = contents.removals + contents.additions
    if not lines and not status.staged:
        return checkout.tree_of(head)
    # The same index with the same contents on top is the same tree: looking again at an unchanged one costs one process.
    key = f"{digest}:{hashlib.sha256(b''.join(sorted(lines))).hexdigest()}"
    if key in checkout.trees:
        return checkout.trees[key]
    if lines:
        options = ("-c", "core.splitIndex=false", "-c", "index.sparse=false")
        checkout.private(*options, "update-index", "-z", "--index-info", stdin=b"".join(lines), index=copy)
    checkout.trees[key] = checkout.private("write-tree", index=copy, durable=True).text
    return checkout.trees[key]
