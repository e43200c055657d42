"""Names of our own files about the work queue, below our state folder."""

from __future__ import annotations

import os

from agentops.records.queue import NEXT_WORK

EDITS = "queue-edits"
"""Digests of the rows that `ao queue` wrote while a session runs: its guard must not put those back."""
RELEASED = "released"
"""Targets that a person freed with `ao queue release` while a session runs or for the next one, one a line."""

TARGETS = "targets.json"
"""How each target stands, counted from the ledger."""


def queue_path(top: str) -> str:
    """Where the queue lies below a repository's top."""
    return os.path.join(top, NEXT_WORK)
