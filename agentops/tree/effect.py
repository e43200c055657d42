"""What a cycle changed: two snapshots, the reflog and the commits between them, put together."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace

from agentops.core.paths import raw_of, text_of
from agentops.core.places import Effect, Snapshot, Start
from agentops.tree import control
from agentops.tree.blame import Blamed, blame, mark
from agentops.tree.changes import NEXT_WORK, Differences, TreeChange, differences, kept_anyway, parse_raw
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest
from agentops.tree.objects import read
from agentops.tree.refs import BRANCHES, LogEnd, moves_since

_REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Commits:
    """`blamed` with the paths that each side's commits changed."""

    blamed: Blamed
    ours: frozenset[str]
    foreign: frozenset[str]


def tree_changes(checkout: Checkout, old: str, new: str) -> dict[bytes, TreeChange]:
    """The difference of two trees or commits, path by path."""
    if old == new:
        return {}
    if (old, new) not in checkout.changes:
        out = checkout.git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new).out
        if len(checkout.changes) >= _REMEMBERED:
            checkout.changes.clear()
        checkout.changes[old, new] = parse_raw(out)
    return checkout.changes[old, new]


def diff(pre: Manifest, post: Manifest, checkout: Checkout) -> Differences:
    """`pre` to `post` without any question of whose it is."""
    return differences(tree_changes(checkout, pre.tree, post.tree), pre, post)


def compose(post: Snapshot, found: Differences, commits: Commits, pre: Manifest, after: Manifest) -> Effect:
    """The effect. Pure. Paths that only someone else's commits changed are theirs, those of both are contested."""
    dirty_now = {*after.dirty}
    both: set[str] = set()
    theirs: set[str] = set()
    for text in commits.foreign:
        if text in found.paths:
            (both if text in commits.ours or text in dirty_now else theirs).add(text)
        elif text in commits.ours:
            both.add(text)
    at_start = {*pre.dirty, *(text for text, own in pre.own.items() if not own.tracked)}
    return Effect(
        post=post,
        paths={text: change for text, change in found.paths.items() if text not in theirs},
        ignored=found.ignored,
        commits=commits.blamed.ours,
        foreign=commits.blamed.foreign,
        swept=frozenset(commits.ours & at_start),
        contested=frozenset(both),
        tampered=control.tampered(pre, after),
        moved=after.branch != pre.branch or not commits.blamed.ancestral,
    )


def commits_between(checkout: Checkout, start: Start, pre: Manifest, after: Manifest) -> Commits:
    """Whose commits are new since the start, and what they changed."""
    moves = moves_since(checkout.repository.git_dir, LogEnd(pre.log_size, pre.log_last))
    tips = [sha for sha in (after.branch_tip, after.head) if sha is not None]
    named = dict.fromkeys([*tips, *(move.new for move in moves)])
    fresh = [sha for sha in named if sha not in (pre.head, checkout.zero)]
    graph: dict[str, tuple[str, ...]] = {}
    if fresh:
        out = checkout.git.run(
            "rev-list", "--parents", "--topo-order", "--reverse", "--ignore-missing", *fresh, f"^{pre.head}"
        ).out
        graph = {words[0]: tuple(words[1:]) for line in out.decode().splitlines() if (words := line.split())}
    first = [after.branch_tip] if after.branch_tip is not None else []
    blamed = blame(moves, graph, list(graph), pre.head, [*first, after.head], mark(start.run, start.cycle))
    if after.branch_tip is None:
        blamed = replace(blamed, ancestral=False)
    if blamed.unexplained and after.branch != pre.start_branch:
        blamed = replace(blamed, foreign=_without_other_branches(checkout, blamed, pre.start_branch))
    paths = paths_of(checkout, (*blamed.ours, *blamed.foreign))
    ours = frozenset(path for sha in blamed.ours for path in paths.get(sha, ()))
    foreign = frozenset(path for sha in blamed.foreign for path in paths.get(sha, ()))
    return Commits(blamed, ours, foreign)


def _without_other_branches(checkout: Checkout, blamed: Blamed, branch: str) -> tuple[str, ...]:
    """The foreign commits without those that were merely switched to: they are held by a branch of their own, which no
    take-back moves, and nobody made them during the cycle.
    """
    others = ("--not", f"--exclude={BRANCHES}{branch}", "--exclude=refs/ao/*", "--glob=refs/*")
    left = checkout.git.run("rev-list", *sorted(blamed.unexplained), *others).out.decode().split()
    return tuple(sha for sha in blamed.foreign if sha not in blamed.unexplained or sha in left)


def paths_of(checkout: Checkout, commits: Iterable[str]) -> dict[str, set[str]]:
    """What each commit changed against its first parent."""
    wanted = dict.fromkeys(commits)
    if not wanted:
        return {}
    feed = "".join(f"{sha}\n" for sha in wanted).encode()
    out = checkout.git.run(
        "diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-renames", "--root", "--diff-merges=first-parent", stdin=feed
    ).out
    found: dict[str, set[str]] = {}
    current: set[str] = set()
    for one in out.split(b"\0"):
        # A commit's own line ends in a line break or NUL, by version of git; its id is one that we asked for.
        name = one.removesuffix(b"\n")
        if len(name) in (40, 64) and name.decode("utf-8", "replace") in wanted:
            current = found.setdefault(name.decode(), set())
        elif one:
            current.add(text_of(one))
    return found


def ours_by_right(checkout: Checkout, pre: Manifest, post: Manifest, found: Differences) -> frozenset[str]:
    """See `changes.kept_anyway`; reads the queue's two contents only when it changed."""
    changes = {**found.paths, **found.ignored}
    old = new = None
    if NEXT_WORK in changes:
        old, new = content(checkout, pre, NEXT_WORK), content(checkout, post, NEXT_WORK)
    return kept_anyway(changes, old, new)


def content(checkout: Checkout, manifest: Manifest, text: str) -> bytes | None:
    """The bytes of one file as a snapshot holds them; None when it holds none, or something else of that name."""
    own = manifest.own.get(text)
    if own is not None:
        return checkout.blobs.get(own.digest) if own.digest is not None and stat.S_ISREG(own.signature.mode) else None
    listed = checkout.git.run("ls-tree", "-z", manifest.tree, "--", raw_of(text), check=False)
    words = listed.out.split(b"\t")[0].split()
    return read(checkout.git, [words[2].decode()])[words[2].decode()] if len(words) == 3 and words[0].startswith(b"100") else None
