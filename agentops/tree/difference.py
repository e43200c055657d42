"""`ao diff N`: what a cycle changed, as text of bounded size."""

from __future__ import annotations

from collections.abc import Callable

from agentops.core.paths import raw_of, text_of
from agentops.core.places import Change
from agentops.host.git import Git
from agentops.tree.checkout import Checkout, shared
from agentops.tree.control import tampered
from agentops.tree.effect import diff, tree_changes
from agentops.tree.kept import of_cycle
from agentops.tree.objects import sizes
from agentops.tree.repository import Repository

_WORDS = {Change.ADDED: "added", Change.MODIFIED: "changed", Change.DELETED: "deleted"}


def difference(
    repository: Repository,
    git: Git,
    cycle: int,
    *,
    limit: int = 4 * 1024 * 1024,
    ours: Callable[[str], bool] = lambda path: False,
) -> str:
    """Patches of the files that git holds, then the names of everything else that differs. `limit` in bytes of file content.

    `ours`: paths that the supervisor writes itself while a cycle runs; they are no work of the cycle.
    Nothing of the person's is run for it: no external diff, no text conversion. Raises UsageError when nothing is kept.
    """
    checkout = shared(repository, git, git.scope.clock)
    pre, post = of_cycle(checkout, cycle)
    found = diff(pre, post, checkout)
    changes = {path: change for path, change in {**found.paths, **found.ignored}.items() if not ours(path)}
    shown, left_out = _fitting(checkout, pre.tree, post.tree, changes.keys() & found.paths.keys(), limit)
    parts = [_patch(checkout, pre.tree, post.tree, shown)]
    others = sorted(text for text in changes if raw_of(text) not in shown and text not in left_out)
    parts += [f"{_WORDS[changes[text]]}: {text} (not held by git)\n" for text in others]
    parts += [f"changed: {text} (decides what git runs)\n" for text in sorted(tampered(pre, post))]
    if left_out:
        parts.append(f"{len(left_out)} more files are too big to show: {', '.join(sorted(left_out)[:20])}\n")
    return "".join(parts)


def _fitting(checkout: Checkout, old: str, new: str, texts: set[str], limit: int) -> tuple[list[bytes], set[str]]:
    """Paths whose contents together stay below the limit, the small ones first; and the others."""
    changes = {path: change for path, change in tree_changes(checkout, old, new).items() if text_of(path) in texts}
    oids = {
        oid
        for change in changes.values()
        for mode, oid in ((change.old_mode, change.old), (change.new_mode, change.new))
        if mode not in (0, 0o160000)
    }
    size_of = sizes(checkout.git, sorted(oids)) if oids else {}
    weight = {path: size_of.get(change.old, 0) + size_of.get(change.new, 0) for path, change in changes.items()}
    total, shown, left_out = 0, [], set()
    for path in sorted(weight, key=lambda one: (weight[one], one)):
        total += weight[path]
        if total <= limit:
            shown.append(path)
        else:
            left_out.add(text_of(path))
    return sorted(shown), left_out


def _patch(checkout: Checkout, old: str, new: str, paths: list[bytes], most: int = 2000) -> str:
    options = ("--no-color", "--no-ext-diff", "--no-textconv", "-p", "-r", "--no-renames")
    patches = [
        checkout.git.run("--literal-pathspecs", "diff-tree", *options, old, new, "--", *paths[at : at + most]).out
        for at in range(0, len(paths), most)
    ]
    return b"".join(patches).decode("utf-8", "replace")
