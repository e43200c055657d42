"""`ao undo`: branch and tree back to where a session started, as one recorded act that can itself be restored."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.paths import raw_of, text_of
from agentops.core.places import Snapshot, Start
from agentops.host.git import Git
from agentops.tree.blame import reach
from agentops.tree.changes import TreeChange
from agentops.tree.checkout import Checkout, shared
from agentops.tree.effect import diff, paths_of, tree_changes
from agentops.tree.heads import advance
from agentops.tree.index_moves import move_index
from agentops.tree.kept import PRE, of_session, stamp
from agentops.tree.manifest import Manifest
from agentops.tree.refs import LogEnd, moves_since
from agentops.tree.repository import Repository
from agentops.tree.rewrite import lines_of, tree_with
from agentops.tree.signing import commit_object
from agentops.tree.snapshot import REFS, hold, take, with_seen
from agentops.tree.taking_back import put_files

_RECORDS = ".agents/"


@dataclass(frozen=True, slots=True)
class Undone:
    """`sha`: HEAD afterwards. `stayed`: paths that someone else changed since. `saved`: the ref of what was before."""

    sha: str
    saved: str
    paths: frozenset[str] = frozenset()
    stayed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def undo(repository: Repository, git: Git, clock: Clock, session: str) -> Undone:
    """One commit on top puts each path of the session's commits back to its start; files and index follow.

    A path stays, and is named, when its content is none that the session left, or when someone else committed it since.
    The records under `.agents/` stay as well: what happened has happened. Raises UsageError for a session without
    snapshots, EnvironmentUnusable on another branch or after a rewritten history.
    """
    checkout = shared(repository, git, clock)
    cycles = of_session(checkout, session)
    if not cycles:
        raise UsageError(f"Nothing is kept of session {session}, or it is older than 30 days.", mend="ao history")
    first = cycles[0][0]
    head = checkout.head()
    if head.branch != first.start_branch or head.sha is None:
        raise EnvironmentUnusable(f"Session {session} worked on {first.start_branch}.", mend=f"git switch {first.start_branch}")
    foreign = _foreign(checkout, first, head.sha, session)
    run = f"undo-{stamp(clock.now().wall)}"
    now = take(checkout, first)
    found = diff(first, now, checkout)
    texts = {text for text in (*found.paths, *found.ignored) if not text.startswith(_RECORDS)}
    now = with_seen(now, checkout, frozenset(map(raw_of, texts)))
    saved = hold(checkout, now, run, 0, PRE)
    ours = _left_by(checkout, cycles, now, texts) - foreign
    stayed = texts - ours
    start = Start(0, run, clock.now(), Snapshot(first.tree, first.head, first.branch, saved.manifest))
    done = put_files(checkout, start, first, now, ours)
    stayed |= set(map(text_of, done.contested))
    sha, notes = _commit(checkout, first, head.sha, {*stayed, *foreign}, session)
    skip = {raw_of(text) for text in {*stayed, *foreign}} | _records(checkout, first, sha)
    stayed |= set(map(text_of, move_index(checkout, now, first, skip)))
    return Undone(sha, f"{REFS}{run}/0/{PRE}", frozenset(ours - stayed), frozenset(stayed), (*notes, *done.notes))


def _foreign(checkout: Checkout, first: Manifest, head: str, session: str) -> set[str]:
    """Paths of commits that someone else made since the session's start."""
    if head == first.head:
        return set()
    out = checkout.git.run("rev-list", "--parents", "--topo-order", head, f"^{first.head}").out.decode()
    graph = {words[0]: tuple(words[1:]) for line in out.splitlines() if (words := line.split())}
    if not any(first.head in parents for parents in graph.values()):
        raise EnvironmentUnusable(
            f"The commit that session {session} started from ({first.head[:12]}) is not in the history of this branch any more.",
            mend=f"git branch before-{session} {first.head}",
        )
    owned: set[str] = set()
    for move in moves_since(checkout.repository.git_dir, LogEnd(first.log_size, first.log_last)):
        if move.message.startswith((f"ao:{session}.", f"ao:{session}/", "ao:undo")):
            owned |= reach(graph, [move.new]) - reach(graph, [move.old])
    changed = paths_of(checkout, [sha for sha in graph if sha not in owned])
    return {text for texts in changed.values() for text in texts}


def _left_by(
    checkout: Checkout, cycles: list[tuple[Manifest, Manifest | None]], now: Manifest, texts: Collection[str]
) -> set[str]:
    """Of these paths, those whose present content is one that some cycle of the session had there."""
    seen: dict[str, set[tuple[int, str]]] = {}
    own: dict[str, set[str | None]] = {}
    for pre, post in cycles:
        for manifest in (pre, *((post,) if post is not None else ())):
            for text, kept in manifest.own.items():
                own.setdefault(text, set()).add(kept.digest)
        for path, change in (tree_changes(checkout, pre.tree, post.tree) if post is not None else {}).items():
            sides = seen.setdefault(text_of(path), set())
            sides |= {(change.old_mode, change.old), (change.new_mode, change.new)}
    present = tree_changes(checkout, cycles[0][0].tree, now.tree)
    return {text for text in texts if _known(text, present.get(raw_of(text)), now, seen, own)}


def _known(
    text: str,
    change: TreeChange | None,
    now: Manifest,
    seen: dict[str, set[tuple[int, str]]],
    own: dict[str, set[str | None]],
) -> bool:
    kept = now.own.get(text)
    if kept is not None:
        return kept.digest is not None and kept.digest in own.get(text, set())
    if change is None:
        return text in own  # it was one of ours to hold and is gone now
    return (change.new_mode, change.new) in seen.get(text, set())


def _commit(checkout: Checkout, first: Manifest, head: str, stay: Collection[str], session: str) -> tuple[str, tuple[str, ...]]:
    """HEAD's tree with the session's paths as they were committed at its start."""
    changes = tree_changes(checkout, first.head, head)
    back = {
        path: (change.old_mode, change.old)
        for path, change in changes.items()
        if text_of(path) not in stay and not path.startswith(_RECORDS.encode())
    }
    if not back:
        return head, ()
    tree = tree_with(checkout, head, lines_of(back))
    title = f"undo: evolve session {session}"
    sha, notes = commit_object(checkout, tree, [head], f"{title}\n")
    advance(checkout, first.start_branch, sha, head, f"ao:undo/{session}: {title}")
    return sha, notes


def _records(checkout: Checkout, first: Manifest, head: str) -> set[bytes]:
    """Committed records: their index entries stay with HEAD's."""
    return {path for path in tree_changes(checkout, first.head, head) if path.startswith(_RECORDS.encode())}
