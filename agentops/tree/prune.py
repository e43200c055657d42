"""Snapshots that nobody asks for any more."""

from __future__ import annotations

from dataclasses import dataclass

from agentops.core.clock import Clock
from agentops.host.git import Git
from agentops.tree.repository import Repository


@dataclass(frozen=True, slots=True)
class Pruned:
    refs: int = 0
    manifests: int = 0
    blobs: int = 0


def prune(repository: Repository, git: Git, clock: Clock, *, days: float = 30.0) -> Pruned:
    raise NotImplementedError
