"""From the verdict to the end of a cycle: tree → row → ledger commit → claims → clear. Each step may be done twice."""

from __future__ import annotations

from dataclasses import replace

from agentops.core.events import Event
from agentops.core.journals import InFlight, Step
from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.places import Settled
from agentops.evolve.outcomes import Outcome
from agentops.evolve.parts import Parts
from agentops.evolve.rows import row_of
from agentops.evolve.unbooked import Owed, failure

BOOKINGS = 3
"""Tries to write down what became of a claim, before that is left for later."""
CUT_OFF = Verdict(Result.UNCHANGED, Reason(ReasonKind.INTERRUPTED), keep=False)
ORDER = (Step.VERDICT, Step.TREE, Step.ROW, Step.LEDGER, Step.SETTLED)


def settle(flight: InFlight, parts: Parts) -> tuple[InFlight, Outcome]:
    """Carry out a journalled verdict from the step that was reached. Returns the finished cycle and its outcome."""
    flight = _tree(flight, parts)
    flight = _row(flight, parts)
    _claims(flight, parts)
    outcome = _outcome(flight, parts)
    usage = flight.attempt.usage if flight.attempt else None
    parts.journal.note(
        Step.CLEARED,
        cycle=flight.cycle,
        target=outcome.target,
        result=outcome.result,
        reason=outcome.reason,
        used=usage,
    )
    _tell(flight, outcome, parts)
    return flight, outcome


def release(flight: InFlight, parts: Parts) -> None:
    """Give the claim of a cycle back that came to nothing."""
    source = parts.ladder.by_name(flight.item.source)
    if flight.token is not None and source is not None:
        source.settle(flight.item, flight.token, CUT_OFF)


def _reached(flight: InFlight, step: Step) -> bool:
    return flight.step in ORDER and ORDER.index(flight.step) >= ORDER.index(step)


def _tree(flight: InFlight, parts: Parts) -> InFlight:
    if _reached(flight, Step.TREE) and flight.settled is not None:
        return flight
    settled = Settled(sha=flight.start.pre.head if flight.start else "")
    if flight.start is not None and flight.effect is not None and flight.verdict is not None:
        if flight.verdict.keep:
            settled = parts.place.keep(flight.start, flight.effect, _title(flight))
        else:
            settled = parts.place.take_back(flight.start, flight.effect)
    parts.journal.note(Step.TREE, durable=False, cycle=flight.cycle, settled=settled)
    return replace(flight, step=Step.TREE, settled=settled)


def _row(flight: InFlight, parts: Parts) -> InFlight:
    """The row, then its own commit where the cycle made a difference that is worth one (agentops 2.3)."""
    if not _reached(flight, Step.ROW):
        parts.ledger.append(row_of(flight, parts.session, parts.clock.now().wall))
        parts.journal.note(Step.ROW, durable=False, cycle=flight.cycle)
        flight = replace(flight, step=Step.ROW)
    if not _reached(flight, Step.LEDGER):
        worth = flight.verdict is not None and flight.verdict.result is not Result.UNCHANGED
        row = row_of(flight, parts.session, parts.clock.now().wall)
        sha = parts.ledger.commit(row) if worth and not row.contested else None
        parts.journal.note(Step.LEDGER, durable=False, cycle=flight.cycle, sha=sha)
        flight = replace(flight, step=Step.LEDGER, log_sha=sha)
    return flight


def _claims(flight: InFlight, parts: Parts) -> None:
    source = parts.ladder.by_name(flight.item.source)
    if not _reached(flight, Step.SETTLED) and source is not None and flight.token and flight.verdict is not None:
        owed = Owed(flight.cycle, flight.item, flight.token, flight.verdict, "")
        why = ""
        for _ in range(BOOKINGS):
            if not (why := failure(source.settle, owed)):
                break
        else:
            parts.unbooked.add(replace(owed, why=why))
            parts.events.emit(Event.NOTICE, text=f"cycle {flight.cycle} could not be booked: {why}")
        parts.journal.note(Step.SETTLED, durable=False, cycle=flight.cycle, done_unbooked=why or None)


def _outcome(flight: InFlight, parts: Parts) -> Outcome:
    if flight.verdict is None:
        raise ValueError("settling needs a verdict")
    contested = flight.settled is not None and bool(flight.settled.contested)
    return Outcome(
        cycle=flight.cycle,
        target=flight.item.key,
        result=flight.verdict.result,
        reason=str(ReasonKind.CONTESTED) if contested else str(flight.verdict.reason),
        worked=parts.meter.time.seconds(),
    )


def _title(flight: InFlight) -> str:
    key, title = flight.item.key, flight.item.title
    return (title if title.startswith(key) else f"{key}: {title}")[:100]


def _tell(flight: InFlight, outcome: Outcome, parts: Parts) -> None:
    """For views and other tools; nothing of it decides anything."""
    facts = {
        "cycle": outcome.cycle,
        "target": outcome.target,
        "result": outcome.result,
        "reason": outcome.reason,
        "seconds": round(flight.seconds, 3),
        "sha": flight.settled.sha if flight.settled else None,
    }
    parts.events.emit(Event.CYCLE_ENDED, **facts, contested=sorted(flight.settled.contested) if flight.settled else [])
    parts.telemetry.cycle_complete(row_of(flight, parts.session, parts.clock.now().wall))
