"""What checks changed in the tree: saved, then put back. A check may build, cache and write; none of it is work."""

from __future__ import annotations

import os
from collections.abc import Container

from agentops.core.clock import Instant
from agentops.core.paths import text_of
from agentops.core.places import Snapshot, Start
from agentops.tree.checkout import Checkout
from agentops.tree.effect import diff, tree_changes
from agentops.tree.manifest import Manifest
from agentops.tree.snapshot import hold, take
from agentops.tree.taking_back import put_files

OURS = b".agents/"


def tidy(checkout: Checkout, since: Snapshot, before: Manifest, run: str, leave: Container[str]) -> frozenset[str]:
    """Put back every path outside `leave` that differs from `since`; ignored files stay as they are.

    What is replaced is kept under the name `mutated` of the same cycle. Costs one look at the tree when nothing changed.
    """
    now = take(checkout, before)
    changed = frozenset(path for path in diff(before, now, checkout).paths if path not in leave)
    if changed and now.head != before.head:  # a person who commits while checks run wants to keep what they committed
        changed -= frozenset(map(text_of, tree_changes(checkout, before.head, now.head)))
    if not changed:
        return changed
    cycle = cycle_of(since)
    hold(checkout, now, run, cycle, "mutated")
    start = Start(cycle, run, Instant(0.0, 0.0), since)
    left = put_files(checkout, start, before, now, changed)
    return changed - frozenset(map(text_of, left.contested))


def same_files(checkout: Checkout, one: Manifest, other: Manifest) -> bool:
    """Whether two snapshots hold the same files outside `.agents/`, modes and unstored files included."""
    if any(not path.startswith(OURS) for path in tree_changes(checkout, one.tree, other.tree)):
        return False
    return not [text for text in diff(one, other, checkout).paths if not text.startswith(os.fsdecode(OURS))]


def cycle_of(snapshot: Snapshot) -> int:
    """The cycle whose folder the snapshot's manifest lies in."""
    folder = os.path.basename(os.path.dirname(snapshot.manifest))
    return int(folder) if folder.isdigit() else 0
