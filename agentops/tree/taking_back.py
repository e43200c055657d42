"""Take a cycle back: only what still is as it left it; someone else's files and commits stay where they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agentops.core.paths import raw_of, text_of
from agentops.core.places import Effect, Settled, Start
from agentops.tree import control
from agentops.tree.blame import mark
from agentops.tree.checkout import Checkout
from agentops.tree.effect import paths_of, tree_changes
from agentops.tree.exchange import Exchanged, exchange
from agentops.tree.heads import advance, go_home
from agentops.tree.index_moves import move_index
from agentops.tree.manifest import Manifest
from agentops.tree.operations import end_operations
from agentops.tree.rewrite import lines_of, tree_with
from agentops.tree.sides import pairs
from agentops.tree.signing import commit_object


def take_back(
    checkout: Checkout, start: Start, effect: Effect, pre: Manifest, post: Manifest, foreign_paths: Collection[str]
) -> Settled:
    """See `core.places.Place.take_back`. `foreign_paths`: what someone else's commits changed since the start."""
    label = mark(start.run, start.cycle)
    contested = set(effect.contested)
    notes: list[str] = []
    contested |= control.put_back(checkout, pre, post)
    if effect.moved:
        if effect.foreign or not go_home(checkout, pre, post, label):
            why = "The branch was rewritten or left, and someone else has committed since: nothing was touched."
            sha = checkout.head().sha or checkout.zero
            return Settled(sha, (), frozenset({*effect.paths, *contested}), (why,))
        notes.append(f"The branch {pre.start_branch} and HEAD are back at {pre.head[:12]}; {post.head[:12]} is in the reflog.")
    end_operations(checkout, pre, post, notes)
    moved = put_files(checkout, start, pre, post, back(effect))
    contested |= set(map(text_of, moved.contested))
    commits: tuple[str, ...] = ()
    if effect.commits and not effect.moved:
        made, said, left = _revert(checkout, start, effect, pre, post, contested)
        commits = (made,) if made else ()
        notes += said
        contested |= left
    stays = set() if effect.moved else effect.kept_anyway
    skip = {raw_of(text) for text in {*foreign_paths, *contested, *stays}}
    contested |= set(map(text_of, move_index(checkout, post, pre, skip)))
    return Settled(checkout.head().sha or checkout.zero, commits, frozenset(contested), (*notes, *moved.notes))


def back(effect: Effect) -> frozenset[str]:
    """Paths that a take-back puts back: not what is kept in any case, not what is contested already."""
    return frozenset({*effect.paths, *effect.ignored} - effect.kept_anyway - effect.contested)


def put_files(
    checkout: Checkout, start: Start, pre: Manifest, post: Manifest, texts: Iterable[str], *, forward: bool = False
) -> Exchanged:
    """The files of these paths from `post` to `pre`, or the other way when `forward`."""
    both = pairs(checkout, pre, post, texts)

    def aside(path: bytes) -> str:
        return checkout.aside(start.run, start.cycle, text_of(path))

    if forward:
        return exchange(checkout, pre, post, {path: (one, other) for path, (one, other) in both.items()}, aside)
    return exchange(checkout, post, pre, {path: (other, one) for path, (one, other) in both.items()}, aside)


def _revert(
    checkout: Checkout, start: Start, effect: Effect, pre: Manifest, post: Manifest, contested: Collection[str]
) -> tuple[str | None, tuple[str, ...], set[str]]:
    """One commit that puts each path of the cycle's commits back to its start entry, where HEAD still has the cycle's."""
    head = checkout.head()
    if head.branch != pre.branch or head.sha is None:
        return None, ("HEAD was moved to another branch meanwhile: the cycle's commits stay on theirs.",), set(effect.paths)
    made = tree_changes(checkout, pre.head, post.head)
    now = made if head.sha == post.head else tree_changes(checkout, pre.head, head.sha)
    ours = _paths_of_commits(checkout, effect)
    wanted: dict[bytes, tuple[int, str]] = {}
    left: set[str] = set()
    for path, change in made.items():
        text = text_of(path)
        if text not in ours or text in contested or text in effect.kept_anyway or path not in now:
            continue  # someone else's, or already as at the start
        if (now[path].new_mode, now[path].new) == (change.new_mode, change.new):
            wanted[path] = change.old_mode, change.old
        else:
            left.add(text)
    if not wanted:
        return None, (), left
    everything = wanted.keys() == now.keys()
    tree = checkout.tree_of(pre.head) if everything else tree_with(checkout, head.sha, lines_of(wanted))
    title = f"revert: evolve cycle {start.cycle} regression"
    sha, notes = commit_object(checkout, tree, [head.sha], f"{title}\n\nAo-Cycle: {start.cycle}\n")
    advance(checkout, head.branch or "", sha, head.sha, f"{mark(start.run, start.cycle)}: {title}")
    checkout.trees[sha] = tree
    return sha, notes, left


def _paths_of_commits(checkout: Checkout, effect: Effect) -> set[str]:
    return {text for changed in paths_of(checkout, effect.commits).values() for text in changed}
