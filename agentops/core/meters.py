"""Accounts: what may still be spent, and until when an account is paused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.stops import Stop


@dataclass(frozen=True, slots=True)
class Grant:
    """Leave to spend up to an estimate; settled exactly once with what was used."""

    account: str
    number: int
    estimate: Usage


class Meter(Protocol):
    """Reserve before spending, settle after: one meter feeds both the cap and the status (loop-peers B-L15)."""

    def reserve(self, account: str, estimate: Usage) -> Grant | Stop | Instant:
        """Leave to spend; or why not any more; or until when the account is paused."""
        ...

    def settle(self, grant: Grant, used: Usage) -> None:
        """Book what was used. Idempotent by grant."""
        ...

    def pause(self, account: str, until: Instant) -> None:
        """Remember a limit: nobody reserves from the account before `until`."""
        ...
