"""A merge, rebase or bisect that a cycle began and left open would make the next start refuse: it is ended."""

from __future__ import annotations

import os

from agentops.host.faults import fault
from agentops.host.files import remove
from agentops.host.folders import drop_folder
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest


def end_operations(checkout: Checkout, pre: Manifest, post: Manifest, notes: list[str]) -> None:
    """Remove git's notes of an operation that was open at `post` and not at `pre`; files and commits are not touched."""
    begun = [name for name in post.operations if name not in pre.operations]
    for name in begun:
        path = os.path.join(checkout.repository.git_dir, name)
        fault("operations.end.before")
        if os.path.isdir(path) and not os.path.islink(path):
            drop_folder(path)
        else:
            remove(path)
    if any(name not in ("MERGE_MSG", "AUTO_MERGE") for name in begun):
        notes.append("The cycle left a git operation open; it was ended.")
