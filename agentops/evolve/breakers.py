"""Circuit breakers: pure functions of this session's outcomes and its working time, asked between cycles only."""

from __future__ import annotations

from collections.abc import Sequence

from agentops.core.errors import ExitCode
from agentops.core.judging import Reason, ReasonKind
from agentops.core.processes import Ended
from agentops.core.stops import Stop, StopReason
from agentops.evolve.outcomes import Outcome

UNPRODUCTIVE_SECONDS = 60 * 60.0
NO_OPS = 2
_DID_NOTHING = frozenset({str(ReasonKind.NO_OP), str(Reason(ReasonKind.AGENT, Ended.NO_OP))})
"""It claimed to be done and changed nothing, or it ended without a word."""


def unproductive(outcomes: Sequence[Outcome], worked: float) -> str | None:
    """No productive cycle in an hour of *working* time since the last one or the session's start, and at least two ended.

    From the session's start, not from the ledger: a restart in the morning must not trip at once (loop-peers F1-1).
    """
    since = max((one.worked for one in outcomes if one.productive), default=0.0)
    ended = sum(one.worked > since and one.counts for one in outcomes)
    if worked - since >= UNPRODUCTIVE_SECONDS and ended >= 2:
        return f"no productive cycle in {(worked - since) / 60:.0f} minutes of work ({ended} cycles)"
    return None


def idle_agent(outcomes: Sequence[Outcome]) -> str | None:
    """Two `no_op` cycles in a row: the agent does not seem to work (loop-peers B-H15)."""
    last = [one.reason for one in outcomes if one.counts][-NO_OPS:]
    if len(last) == NO_OPS and all(reason in _DID_NOTHING for reason in last):
        return "two cycles in a row claimed to be done and changed nothing: the agent does not seem to work"
    return None


def tripped(outcomes: Sequence[Outcome], worked: float) -> Stop | None:
    """The first breaker that trips, as a stop."""
    why = unproductive(outcomes, worked) or idle_agent(outcomes)
    return Stop(StopReason.CIRCUIT_BREAKER, why, ExitCode.BREAKER) if why else None
