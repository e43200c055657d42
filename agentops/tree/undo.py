"""`ao undo`: branch and tree back to where a session started, as one recorded act that can itself be restored."""

from __future__ import annotations

from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.host.git import Git
from agentops.tree.repository import Repository


@dataclass(frozen=True, slots=True)
class Undone:
    """`sha`: HEAD afterwards. `stayed`: paths that someone else changed since. `saved`: the ref of what was before."""

    sha: str
    saved: str
    paths: frozenset[str] = frozenset()
    stayed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def undo(repository: Repository, git: Git, clock: Clock, session: str) -> Undone:
    raise NotImplementedError
