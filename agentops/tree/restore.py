"""`ao restore N`: a cycle's work (or its start) on a branch of its own, or single files of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.host.git import Git
from agentops.tree.repository import Repository


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
    raise NotImplementedError
