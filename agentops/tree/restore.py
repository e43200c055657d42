"""`ao restore N`: a cycle's work (or its start) on a branch of its own, or single files of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.core.errors import GitFailed, UsageError
from agentops.core.paths import raw_of, text_of
from agentops.core.places import Change, Snapshot, Start
from agentops.host.git import Git
from agentops.tree.changes import under
from agentops.tree.checkout import Checkout, shared
from agentops.tree.effect import diff
from agentops.tree.kept import PRE, of_cycle, stamp
from agentops.tree.manifest import Manifest
from agentops.tree.refs import BRANCHES, read_ref
from agentops.tree.repository import Repository
from agentops.tree.signing import commit_object
from agentops.tree.snapshot import REFS, hold, take, with_seen
from agentops.tree.taking_back import put_files

_MOST_NAMES = 1000


@dataclass(frozen=True, slots=True)
class Restored:
    """`branch` and `sha` when a branch was made; else `paths` written and `saved`, the ref of what stood there before."""

    branch: str | None = None
    sha: str | None = None
    paths: frozenset[str] = frozenset()
    saved: str | None = None
    notes: tuple[str, ...] = ()


def restore(
    repository: Repository, git: Git, clock: Clock, cycle: int, *, pre: bool = False, paths: Sequence[str] = ()
) -> Restored:
    """What a cycle left (`post`), or with `pre` what was there when it began. Raises UsageError when nothing is kept of it.

    Without `paths` (text of `core.paths`, folders too) a new branch; nothing in the work tree changes.
    """
    checkout = shared(repository, git, clock)
    before, after = of_cycle(checkout, cycle)
    wanted = before if pre else after
    if paths:
        return _files(checkout, clock, cycle, wanted, paths)
    return _branch(checkout, cycle, before.head, wanted, "it began" if pre else "it ended")


def _branch(checkout: Checkout, cycle: int, parent: str, wanted: Manifest, moment: str) -> Restored:
    message = (
        f"ao: cycle {cycle} as the tree was when {moment}\n\nEverything that lay there is in it, not the cycle's work alone.\n"
    )
    sha, said = commit_object(checkout, wanted.tree, [parent], message)
    notes = list(said)
    lacking = sorted(text for text, own in wanted.own.items() if not own.ignored)
    if lacking:
        notes.append(f"Not on the branch, because they look like keys or are too big: {', '.join(lacking[:10])}.")
    for name in _names(cycle):
        if read_ref(checkout.repository.common_dir, BRANCHES + name) is not None:
            continue
        try:
            checkout.git.run("update-ref", BRANCHES + name, sha, checkout.zero, durable=True, writes=True)
        except GitFailed:
            continue  # taken meanwhile, or a branch called `ao` stands in the way
        return Restored(name, sha, notes=tuple(notes))
    raise UsageError(f"No name is free for a branch with cycle {cycle}.", mend="git branch --list 'ao*'")


def _names(cycle: int) -> list[str]:
    return [f"ao{gap}restore-{cycle}{number}" for gap in "/-" for number in ("", *(f"-{one}" for one in range(2, _MOST_NAMES)))]


def _files(checkout: Checkout, clock: Clock, cycle: int, wanted: Manifest, paths: Sequence[str]) -> Restored:
    run = f"restore-{stamp(clock.now().wall)}"
    now = take(checkout, wanted)
    found = diff(wanted, now, checkout)
    changes = {**found.paths, **found.ignored}
    asked = {path.strip("/") for path in paths}
    texts = {text for text in changes if under(text, asked)}
    notes = [f"{path} is as it was, or cycle {cycle} does not know it." for path in sorted(asked) if not _some_under(path, texts)]
    added = {text for text in texts if changes[text] is Change.ADDED}
    notes += [f"{text} was not there at that moment and stays." for text in sorted(added)]
    texts -= added
    if not texts:
        return Restored(notes=tuple(notes))
    now = with_seen(now, checkout, frozenset(map(raw_of, texts)))
    saved = hold(checkout, now, run, cycle, PRE)
    start = Start(cycle, run, clock.now(), Snapshot(wanted.tree, wanted.head, wanted.branch, saved.manifest))
    done = put_files(checkout, start, wanted, now, texts)
    left = frozenset(map(text_of, done.contested))
    notes += [f"{text} was changed this very moment and stays." for text in sorted(left)]
    return Restored(paths=frozenset(texts) - left, saved=f"{REFS}{run}/{cycle}/{PRE}", notes=(*notes, *done.notes))


def _some_under(path: str, texts: set[str]) -> bool:
    return any(under(text, {path}) for text in texts)
