"""A commit of given paths by plumbing; the person's index and files move only for exactly these."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from agentops.core.errors import AoError, EnvironmentUnusable
from agentops.core.paths import raw_of, text_of
from agentops.host.git import Git
from agentops.tree.checkout import Checkout, shared
from agentops.tree.heads import advance
from agentops.tree.hooks import Refused, run_hooks_before
from agentops.tree.index_file import IndexEntry, entries
from agentops.tree.index_moves import Entries, edit_index
from agentops.tree.refs import LogEnd, moves_since
from agentops.tree.repository import Repository, under_way
from agentops.tree.settings import Filters
from agentops.tree.signing import commit_object

Check = Callable[[Collection[bytes]], set[bytes]]
"""Of these paths, those whose files are still what is to be committed."""


@dataclass(frozen=True, slots=True)
class Committed:
    """`sha` of the new commit, or None with the reason why none was made. `notes` are for the report.

    `left`: paths that were left out because someone else changed them meanwhile.
    """

    sha: str | None
    reason: str = ""
    notes: tuple[str, ...] = ()
    left: frozenset[str] = frozenset()


def commit_paths(
    repository: Repository,
    git: Git,
    paths: Sequence[str],
    message: str,
    *,
    mark: str = "ao",
    limit: int = 20 * 1024 * 1024,
    run_hooks: bool = False,
) -> Committed:
    """Commit the present content of `paths` (text of `core.paths`) on HEAD; ignored or larger ones are skipped.

    `limit` in bytes a path. `mark` heads the reflog's line.
    """
    checkout = shared(repository, git, git.scope.clock)
    if (waiting := under_way(repository.git_dir)) is not None:
        return Committed(None, f"{waiting[0]} is under way")
    if checkout.head().branch is None:
        return Committed(None, "HEAD is detached")
    wanted, skipped = _worth(checkout, [raw_of(path) for path in paths], limit)
    if not wanted:
        return Committed(None, "; ".join(skipped) or "nothing to commit")
    filters = checkout.settings.filters()
    return commit_entries(checkout, wanted, message, mark, filters, run_hooks=run_hooks, notes=tuple(skipped))


def commit_entries(
    checkout: Checkout,
    paths: Collection[bytes],
    message: str,
    mark: str,
    filters: Filters,
    *,
    still: Check | None = None,
    movable: Mapping[bytes, Collection[tuple[IndexEntry, ...]]] | None = None,
    run_hooks: bool = False,
    notes: tuple[str, ...] = (),
) -> Committed:
    """Commit these paths as they are in the work tree, on the present branch; called again, it finishes what a crash cut.

    `still` is asked before and after git has read the files, and what fails it is left out. `movable`: what an index entry
    may be, beside HEAD's own, to be moved along with the commit; any other one is the person's staging and stays.
    """
    head = checkout.head()
    if head.branch is None or head.sha is None:
        raise EnvironmentUnusable("HEAD is detached: a commit would hang on no branch.", mend="git switch BRANCH")
    good = set(paths) if still is None else still(paths)
    index, base, new = _private_index(checkout, head.sha, good, filters)
    if still is not None and (late := good - still(good)):
        good -= late
        index, base, new = _private_index(checkout, head.sha, good, filters)
    left = frozenset(map(text_of, set(paths) - good))
    changed = [path for path in good if _plain(base.get(path, ())) != _plain(new.get(path, ()))]
    sha, reason = None, "nothing to commit"
    if changed:
        if run_hooks:
            try:
                message = run_hooks_before(checkout, index, message)
            except Refused as refusal:
                return Committed(None, str(refusal), (*notes, str(refusal)), left)
            new = _entries_of(checkout, index, good)
        tree = checkout.private("write-tree", index=index, durable=True).text
        sha, said = commit_object(checkout, tree, [head.sha], message)
        notes, reason = (*notes, *said), ""
        advance(checkout, head.branch, sha, head.sha, f"{mark}: {message.splitlines()[0]}")
        checkout.trees[sha] = tree
    earlier = _before_ours(checkout, head.sha, good, mark) if not changed else {}
    _move_index(checkout, good, base, new, earlier, movable or {})
    return Committed(sha, reason, notes, left)


def _private_index(checkout: Checkout, head: str, paths: Collection[bytes], filters: Filters) -> tuple[str, Entries, Entries]:
    """An index with HEAD's tree and these paths as they are; its file, its entries before and after."""
    index = checkout.scratch("commit-index")
    checkout.private("read-tree", head, index=index)
    base = _entries_of(checkout, index, paths)
    if paths:
        feed = b"\0".join(sorted(paths)) + b"\0"
        single = ("-c", "core.fsyncMethod=fsync") if len(paths) == 1 else ()  # a batch of one costs one sync more
        argv = ("-c", "core.safecrlf=false", *single, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        checkout.filtered(*argv, filters=filters, stdin=feed, index=index)
    return index, base, _entries_of(checkout, index, paths)


def _entries_of(checkout: Checkout, index: str, paths: Collection[bytes]) -> Entries:
    with open(index, "rb") as file:
        return entries(file.read(), checkout.width, frozenset(paths))


def _move_index(
    checkout: Checkout,
    paths: Collection[bytes],
    base: Entries,
    new: Entries,
    earlier: Mapping[bytes, tuple[tuple[int, str], ...]],
    movable: Mapping[bytes, Collection[tuple[IndexEntry, ...]]],
) -> None:
    """Three ways per entry: what equals the old HEAD's (or what may move) takes the new one (design-review E18)."""

    def decide(current: Entries) -> Entries:
        targets = {}
        for path in paths:
            there = current.get(path, ())
            allowed = [_plain(base.get(path, ())), earlier.get(path), *map(_plain, movable.get(path, ()))]
            intent = any(one.intent for one in there)
            if (intent or _plain(there) in allowed) and _plain(there) != _plain(new.get(path, ())):
                targets[path] = new.get(path, ())
        return targets

    edit_index(checkout, paths, decide)


def _before_ours(
    checkout: Checkout, head: str, paths: Collection[bytes], mark: str
) -> Mapping[bytes, tuple[tuple[int, str], ...]]:
    """Entries of HEAD's parent, when HEAD is a commit of ours: a crash may have come before the index moved."""
    moves = moves_since(checkout.repository.git_dir, LogEnd())
    if not moves or moves[-1].new != head or not moves[-1].message.startswith(f"{mark}:") or not paths:
        return {}
    index = checkout.scratch("parent-index")
    checkout.private("read-tree", moves[-1].old, index=index)
    found = _entries_of(checkout, index, paths)
    return {path: _plain(found.get(path, ())) for path in paths}


def _plain(found: tuple[IndexEntry, ...]) -> tuple[tuple[int, str], ...]:
    """What HEAD could hold: mode and content of the merged entry; a mark of intent holds nothing."""
    return tuple((one.mode, one.oid) for one in found if one.stage == 0 and not one.intent)


def _worth(checkout: Checkout, paths: Sequence[bytes], limit: int) -> tuple[list[bytes], list[str]]:
    """Those that may be committed, and why others are not."""
    fitting, skipped = [], []
    for path in paths:
        facts = checkout.look(path)
        if facts is not None and stat.S_ISREG(facts.st_mode) and facts.st_size > limit:
            skipped.append(f"{text_of(path)} is larger than {limit // (1024 * 1024)} MiB and is not committed")
        elif facts is None or stat.S_ISREG(facts.st_mode) or stat.S_ISLNK(facts.st_mode):
            fitting.append(path)
    if not fitting:
        return [], skipped
    tracked = _entries_of(checkout, checkout.index_path, fitting) if os.path.exists(checkout.index_path) else {}
    unknown = [path for path in fitting if path not in tracked]
    ignored: set[bytes] = set()
    if unknown:
        asked = checkout.git.run("check-ignore", "-z", "--stdin", stdin=b"\0".join(unknown) + b"\0", check=False)
        if asked.code not in (0, 1):
            raise AoError(f"git check-ignore failed: {asked.err.decode('utf-8', 'replace').strip()}", mend="git status")
        ignored = set(asked.records)
    skipped += [f"{text_of(path)} is ignored by git and is not committed" for path in fitting if path in ignored]
    return [path for path in fitting if path not in ignored], skipped
