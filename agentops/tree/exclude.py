"""Files of ours under `.agents/` that are local to one checkout never show up in anybody's `git status`."""

from __future__ import annotations

from agentops.tree.repository import Repository


def exclude_local(repository: Repository) -> bool:
    """Add the local names to `info/exclude`, once. True when the file was changed."""
    raise NotImplementedError
