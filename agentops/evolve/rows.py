"""The row of a cycle, made from the journal's facts alone, so that recovery writes exactly the same one."""

from __future__ import annotations

from agentops.core.agents import AgentRun
from agentops.core.journals import InFlight
from agentops.core.judging import Reason, ReasonKind, Result
from agentops.core.places import Settled
from agentops.core.work import AGENT_WORKER, Attempt
from agentops.evolve.outcomes import IDLE
from agentops.records.rows import CycleRow
from agentops.records.times import utc_text

_WEAKEST_FIRST = ("off", "group", "unshare", "bwrap")

SUMMARY = 200
"""Characters of a worker's own summary that a row carries."""


def row_of(flight: InFlight, session: str, wall: float) -> CycleRow:
    """One truthful line. `wall`: when it is written, seconds since the epoch."""
    verdict, attempt, settled = flight.verdict, flight.attempt, flight.settled
    if verdict is None:
        raise ValueError("a row needs a verdict")
    contested = tuple(sorted(settled.contested)) if settled else ()
    reason = Reason(ReasonKind.CONTESTED) if contested else verdict.reason
    sha = settled.sha if settled else flight.start.pre.head if flight.start else None
    productive = verdict.result in (Result.IMPROVED, Result.REGRESSED, Result.HARVESTED)
    usage = attempt.usage if attempt else None
    return CycleRow(
        cycle=flight.cycle,
        target=flight.item.key,
        result=verdict.result,
        timestamp=utc_text(wall),
        sha=sha if productive else None,
        canonical_sha=sha if productive else None,
        goals_passing=flight.passing,
        goals_total=flight.total,
        reason=str(reason),
        session_id=session,
        run_id=flight.run,
        source=flight.item.source,
        worker=attempt.worker if attempt else None,
        title=flight.item.title,
        agent=_agents(flight, attempt),
        tokens_in=usage.tokens_in if usage else None,
        tokens_out=usage.tokens_out if usage else None,
        usd=usage.usd if usage else None,
        cost_known=_cost_known(attempt),
        seconds=round(flight.seconds, 3),
        phases=attempt.phases or None if attempt else None,
        files_changed=len(flight.effect.paths) if flight.effect else None,
        level=_level(attempt),
        contested=contested or None,
        notes=_notes(attempt, settled),
    )


def _agents(flight: InFlight, attempt: Attempt | None) -> str | None:
    """Everyone who worked on it, in order."""
    if attempt is None or attempt.worker != AGENT_WORKER:
        return None
    return ",".join(dict.fromkeys(run.agent for run in attempt.runs if run.agent)) or flight.agent or None


def _cost_known(attempt: Attempt | None) -> bool | None:
    """Whether every run told what it cost; one that did not makes the sum a lower bound."""
    if attempt is None or attempt.worker != AGENT_WORKER:
        return None
    return bool(attempt.runs) and all(run.usage.usd is not None for run in attempt.runs)


def _notes(attempt: Attempt | None, settled: Settled | None) -> str | None:
    """What the worker said of its work, in its own words and bounded, then what settling had to say."""
    said = " ".join(attempt.summary.split())[:SUMMARY] if attempt else ""
    return "; ".join(filter(None, (said, *(settled.notes if settled else ())))) or None


def idle_row(cycle: int, session: str, run: str, wall: float, streak: int) -> CycleRow:
    """An empty pass of the ladder."""
    return CycleRow(
        cycle=cycle,
        target=IDLE,
        result=Result.UNCHANGED,
        timestamp=utc_text(wall),
        idle_streak=streak,
        reason=str(ReasonKind.IDLE),
        session_id=session,
        run_id=run,
    )


def quarantine_row(cycle: int, target: str, oscillations: int, session: str, run: str, wall: float) -> CycleRow:
    """The one row that says that a target is left alone from now on."""
    return CycleRow(
        cycle=cycle,
        target=target,
        result=Result.QUARANTINED,
        timestamp=utc_text(wall),
        oscillations=oscillations,
        session_id=session,
        run_id=run,
    )


def _level(attempt: Attempt | None) -> str | None:
    """The weakest level that any run of the cycle had: a promise is as strong as its weakest part."""
    runs: tuple[AgentRun, ...] = attempt.runs if attempt else ()
    levels = {run.level for run in runs if run.level}
    return next((level for level in _WEAKEST_FIRST if level in levels), None)
