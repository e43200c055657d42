"""Coding agents: one fresh run, one truthful result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from agentops.core.clock import Instant
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run cost. None is *not known*, never zero (loop-peers B-L16). Tokens read from a cache count as read."""

    seconds: float = 0.0
    tokens_in: int | None = None
    tokens_out: int | None = None
    usd: float | None = None
    turns: int | None = None

    def plus(self, other: Usage) -> Usage:
        """The sum; what one side does not know, the other side's number stands for (and `usd` is then a lower bound)."""
        return Usage(
            self.seconds + other.seconds,
            _known_sum(self.tokens_in, other.tokens_in),
            _known_sum(self.tokens_out, other.tokens_out),
            None if self.usd is None and other.usd is None else (self.usd or 0.0) + (other.usd or 0.0),
            _known_sum(self.turns, other.turns),
        )


def _known_sum(a: int | None, b: int | None) -> int | None:
    return None if a is None and b is None else (a or 0) + (b or 0)


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One run of a coding agent. `text`: its final words, bounded. `transcript`: our own file with all that it printed.

    `retry_at` is set for `limit` and `overloaded`. `error`: the first specific error line, verbatim. `agent`: who ran.
    """

    ended: Ended
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    retry_at: Instant | None = None
    error: str | None = None
    transcript: str = ""
    level: str = ""
    survivors: int = 0
    stop: Stop | None = None
    agent: str = ""


class Agent(Protocol):
    """A coding agent; it never sleeps and never raises for a limit, it returns `retry_at`."""

    name: str

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        """One fresh run in the place. `env` holds the `AO_*` of evolve.md section 4; `AO_PHASE_DIR` is writable."""
        ...
