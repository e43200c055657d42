"""Why and how work ends early, as one thing that every blocking call is handed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agentops.core.clock import Clock, Instant
from agentops.core.errors import ExitCode


class StopReason(StrEnum):
    """The `stop_reason` of a session; the words are stable and appear in reports and JSON."""

    KILL_SWITCH = "kill-switch"
    MAX_CYCLES = "max-cycles"
    BUDGET = "budget"
    STAGNATION = "stagnation"
    CIRCUIT_BREAKER = "circuit-breaker"
    CONTESTED = "contested"
    NO_AGENT = "no-agent"
    AUTH = "auth"
    ENVIRONMENT = "environment"
    DISK_FULL = "disk-full"
    SIGNAL = "signal"
    DEADLINE = "deadline"  # of one blocking call (`Scope.within`), never of a session


@dataclass(frozen=True, slots=True)
class Stop:
    """A decision to end. `grace` is what a running tree gets between the polite signal and the kill, in seconds."""

    reason: StopReason
    detail: str
    exit_code: ExitCode = ExitCode.PLANNED
    grace: float = 1.5


class Scope(Protocol):
    """Stop files, signals, budgets and deadlines as one thing. Every blocking call takes one; nothing else sleeps."""

    clock: Clock

    def stopped(self) -> Stop | None:
        """The reason to end now, if any. Cheap: callers may ask on every turn of a loop."""
        ...

    def wait(self, until: Instant, *fds: int) -> Stop | None:
        """Sleep until `until` (by `mono`), until one of `fds` is readable, or until told to stop."""
        ...

    def within(self, seconds: float) -> Scope:
        """The same scope with a deadline of its own (`StopReason.DEADLINE`)."""
        ...

    def closing(self) -> Scope:
        """The scope in which things are put in order: a first stop no longer ends it, a second signal does."""
        ...
