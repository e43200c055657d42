"""Keep a cycle's work: swept paths come out of its commits, what it left uncommitted is committed, the rest stays put."""

from __future__ import annotations

from collections.abc import Collection

from agentops.core.paths import raw_of
from agentops.core.places import Effect, Settled, Start
from agentops.tree.blame import mark
from agentops.tree.bytes_of import contents, is_now
from agentops.tree.checkout import Checkout
from agentops.tree.commits import Committed, commit_entries
from agentops.tree.effect import paths_of
from agentops.tree.heads import Stand, go_home, move_heads
from agentops.tree.index_file import IndexEntry, entries
from agentops.tree.index_moves import edit_index, move_index
from agentops.tree.manifest import Manifest
from agentops.tree.operations import end_operations
from agentops.tree.rewrite import pushed, without
from agentops.tree.sides import Entry, pairs

TRAILER = "Ao-Cycle"


def keep(checkout: Checkout, start: Start, effect: Effect, title: str, pre: Manifest, post: Manifest, run_hooks: bool) -> Settled:
    """See `core.places.Place.keep`. Every step looks at what is there, so that it can be done again."""
    wanted = mark(start.run, start.cycle)
    contested = set(effect.contested)
    notes: list[str] = []
    if effect.moved:
        if effect.foreign or not go_home(checkout, pre, post, wanted):
            return _left_alone(checkout, effect, "The branch was rewritten or left, and someone else has committed since.")
        move_index(checkout, post, pre)
    else:
        if effect.swept:
            contested |= _unsweep(checkout, effect, pre, post, wanted, notes)
        _unstage(checkout, effect, pre, post)
    end_operations(checkout, pre, post, notes)
    done = _commit(checkout, start, effect, title, pre, post, run_hooks, contested)
    own_work = [text for text in effect.paths if text in set(pre.dirty) and text not in effect.contested]
    if own_work:
        notes.append(f"Not committed, because they were not clean when the cycle began: {_some(own_work)}.")
    contested |= done.left
    sha = checkout.head().sha or checkout.zero
    return Settled(sha, (done.sha,) if done.sha else (), frozenset(contested), (*notes, *done.notes))


def _commit(
    checkout: Checkout,
    start: Start,
    effect: Effect,
    title: str,
    pre: Manifest,
    post: Manifest,
    run_hooks: bool,
    contested: Collection[str],
) -> Committed:
    """What is uncommitted on paths that were clean."""
    not_clean = {*pre.dirty, *pre.own}
    open_now = {*post.raw, *post.gone, *(text for text, own in post.own.items() if not own.ignored)}
    texts = [
        text
        for text in effect.paths
        if text not in not_clean and text not in contested and (effect.moved or text in open_now) and text not in post.nested
    ]
    if not texts:
        return Committed(None, "nothing to commit")
    after = {path: pair[1] for path, pair in pairs(checkout, pre, post, texts).items()}

    def still(paths: Collection[bytes]) -> set[bytes]:
        return unchanged(checkout, {path: after[path] for path in paths}, post)

    old, new = (entries(checkout.blobs.get(one.index), checkout.width, after) for one in (pre, post))
    movable: dict[bytes, list[tuple[IndexEntry, ...]]] = {path: [old.get(path, ()), new.get(path, ())] for path in after}
    message = f"{title.strip() or 'work of a cycle'}\n\n{TRAILER}: {start.cycle}\n"
    filters = pre.filters
    label = mark(start.run, start.cycle)
    return commit_entries(checkout, set(after), message, label, filters, still=still, movable=movable, run_hooks=run_hooks)


def unchanged(checkout: Checkout, wanted: dict[bytes, Entry], manifest: Manifest) -> set[bytes]:
    """Of these paths, those at which the tree holds the entry."""
    good: set[bytes] = set()
    unknown: dict[bytes, Entry] = {}
    for path, one in wanted.items():
        matches = is_now(checkout, path, one)
        if matches:
            good.add(path)
        elif matches is None:
            unknown[path] = one
    for portion in contents(checkout, unknown, manifest.filters):
        good |= {path for path, data in portion.items() if is_now(checkout, path, wanted[path], data)}
    return good


def _unsweep(checkout: Checkout, effect: Effect, pre: Manifest, post: Manifest, wanted: str, notes: list[str]) -> set[str]:
    """The person's uncommitted work out of the cycle's commits, and their index as they left it. Returns the contested."""
    both = {text for text in effect.swept if text in effect.paths}
    clean = effect.swept - both - effect.contested
    if not clean:
        return both
    paths = {raw_of(text) for text in clean}
    head = checkout.head().sha or ""
    if effect.foreign or pushed(checkout, effect.commits):
        why = "someone else committed on top" if effect.foreign else "the commit is already pushed"
        notes.append(f"Your uncommitted work is in the cycle's commits and stays there, because {why}: {_some(clean)}.")
        return both | clean
    instead = without(checkout, effect.commits, paths, pre.head)
    tip = instead.get(post.head, post.head)
    if head == post.head != tip:
        home = Stand(Stand.of(post).head, post.start_branch, tip)
        if not move_heads(checkout, Stand.of(post), home, f"{wanted}: without the work that was not committed"):
            return both | clean
    elif tip not in (head, *_ancestors(checkout, head)):
        return both | clean
    before, after = (entries(checkout.blobs.get(one.index), checkout.width, paths) for one in (pre, post))
    edit_index(
        checkout, paths, lambda now: {path: before.get(path, ()) for path in paths if now.get(path, ()) == after.get(path, ())}
    )
    notes.append(f"Your uncommitted work was taken out of the cycle's commits: {_some(clean)}.")
    return both


def _unstage(checkout: Checkout, effect: Effect, pre: Manifest, post: Manifest) -> None:
    """What was not clean and is in no commit is staged as the person left it: `git add -A` alone changes the index too, and
    back to a file that they had taken out of it (loop-peers C2-26).
    """
    if pre.index == post.index:
        return
    committed = {text for changed in paths_of(checkout, (*effect.commits, *effect.foreign)).values() for text in changed}
    paths = {raw_of(text) for text in pre.dirty if text not in committed}
    before, after = (entries(checkout.blobs.get(one.index), checkout.width, paths) for one in (pre, post))
    differing = {path for path in paths if before.get(path, ()) != after.get(path, ())}
    edit_index(
        checkout,
        differing,
        lambda now: {path: before.get(path, ()) for path in differing if now.get(path, ()) == after.get(path, ())},
    )


def _ancestors(checkout: Checkout, head: str) -> list[str]:
    return checkout.git.run("rev-list", "--max-count=64", head).text.split() if head else []


def _left_alone(checkout: Checkout, effect: Effect, why: str) -> Settled:
    return Settled(checkout.head().sha or checkout.zero, (), frozenset({*effect.paths, *effect.contested}), (why,))


def _some(texts: Collection[str], most: int = 10) -> str:
    shown = sorted(texts)[:most]
    return ", ".join(shown) + (f" and {len(texts) - most} more" if len(texts) > most else "")
