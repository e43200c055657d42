"""The cycle's commits again without what the person had not committed: same messages, authors and times, other trees.

Everything is derived from what is there, so that doing it again after a crash gives the very same commits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

from agentops.tree.checkout import Checkout
from agentops.tree.effect import tree_changes
from agentops.tree.objects import read

_SIGNATURES = (b"gpgsig ", b"gpgsig-sha256 ")


def pushed(checkout: Checkout, commits: Sequence[str]) -> bool:
    """One of these is on a remote-tracking branch: rewriting it would fork what others may have fetched."""
    return any(
        checkout.git.run("for-each-ref", "--count=1", "--contains", sha, "refs/remotes").out.strip() for sha in commits[:1]
    )


def without(checkout: Checkout, commits: Sequence[str], paths: Collection[bytes], start: str) -> dict[str, str]:
    """Each commit (oldest first) with the one that takes its place; `paths` in them are as in the start commit.

    A commit in which nothing is left falls out: its parent takes its place.
    """
    originals = read(checkout.git, commits)
    instead: dict[str, str] = {}
    for sha in commits:
        raw = originals[sha]
        parents = [line[7:].decode() for line in raw.partition(b"\n\n")[0].split(b"\n") if line.startswith(b"parent ")]
        new_parents = list(dict.fromkeys(instead.get(parent, parent) for parent in parents))
        tree = _tree_without(checkout, sha, paths, start)
        if len(new_parents) == 1 and tree == checkout.tree_of(new_parents[0]):
            instead[sha] = new_parents[0]
            continue
        if tree == checkout.tree_of(sha) and new_parents == parents:
            instead[sha] = sha
            continue
        body = rewritten(raw, tree, new_parents)
        instead[sha] = _write(checkout, body)
        checkout.trees[instead[sha]] = tree
    return instead


def rewritten(raw: bytes, tree: str, parents: Sequence[str]) -> bytes:
    """A commit object with another tree and other parents; a signature over the old ones would be false and goes."""
    head, gap, message = raw.partition(b"\n\n")
    lines = [b"tree " + tree.encode(), *(b"parent " + one.encode() for one in parents)]
    in_signature = False
    for line in head.split(b"\n"):
        if in_signature and line.startswith(b" "):
            continue
        in_signature = line.startswith(_SIGNATURES)
        if not in_signature and not line.startswith((b"tree ", b"parent ")):
            lines.append(line)
    return b"\n".join(lines) + gap + message


def _tree_without(checkout: Checkout, commit: str, paths: Collection[bytes], start: str) -> str:
    changes = tree_changes(checkout, start, commit)
    lines = lines_of({path: (one.old_mode, one.old) for path in paths if (one := changes.get(path)) is not None})
    if not lines:
        return checkout.tree_of(commit)
    return tree_with(checkout, commit, lines)


def tree_with(checkout: Checkout, commit: str, lines: Sequence[bytes]) -> str:
    """The tree of a commit after these lines of `git update-index --index-info`; removals come first."""
    index = checkout.scratch("tree-index")
    checkout.private("read-tree", commit, index=index)
    ordered = sorted(lines, key=lambda line: not line.startswith(b"000000 "))
    checkout.private("update-index", "-z", "--index-info", stdin=b"".join(ordered), index=index)
    return checkout.private("write-tree", index=index, durable=True).text


def lines_of(entries: Mapping[bytes, tuple[int, str]]) -> list[bytes]:
    """Index lines for (mode, id) by path; mode 0 removes."""
    return [b"%06o %s\t%s\0" % (mode, oid.encode(), path) for path, (mode, oid) in entries.items()]


def _write(checkout: Checkout, body: bytes) -> str:
    kind = hashlib.sha1 if checkout.width == 20 else hashlib.sha256
    expected = kind(b"commit %d\0" % len(body) + body, usedforsecurity=False).hexdigest()
    sha = checkout.git.run(
        "hash-object", "-t", "commit", "-w", "--stdin", "--no-filters", stdin=body, durable=True, writes=True
    ).text
    assert sha == expected
    return sha
