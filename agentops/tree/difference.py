"""`ao diff N`: what a cycle changed, as text of bounded size."""

from __future__ import annotations

from agentops.host.git import Git
from agentops.tree.repository import Repository


def difference(repository: Repository, git: Git, cycle: int, *, limit: int = 4 * 1024 * 1024) -> str:
    raise NotImplementedError
