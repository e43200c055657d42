"""What was not taken, and why: a record by itself, for looking at a queue must not import all that working on it needs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassedOver:
    """An item that was not taken: its key, and why not."""

    key: str
    why: str
