"""A commit of given paths by plumbing; the person's index and files move only for exactly these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentops.host.git import Git
from agentops.tree.repository import Repository


@dataclass(frozen=True, slots=True)
class Committed:
    """`sha` of the new commit, or None with the reason why none was made. `notes` are for the report."""

    sha: str | None
    reason: str = ""
    notes: tuple[str, ...] = ()


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
    """Commit the present content of `paths` (text of `core.paths`) on HEAD; ignored or larger ones are skipped."""
    raise NotImplementedError
