"""The end of a session: one door, whatever the reason. Survivors gone, session closed, and one truthful report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from shlex import quote

from agentops.core.agents import Usage
from agentops.core.clock import jumped
from agentops.core.events import Event
from agentops.core.journals import Step
from agentops.core.stops import Stop
from agentops.core.work import PassedOver
from agentops.evolve.parts import Parts
from agentops.evolve.post_mortem import follow_ups
from agentops.evolve.quarantine import in_quarantine
from agentops.evolve.report import Attention, AttentionKind, SessionReport
from agentops.evolve.rest import ESCALATED
from agentops.evolve.tally import Tally, worth_a_look
from agentops.evolve.unbooked import Owed
from agentops.records.rows import CycleRow
from agentops.records.times import wall_of

QUEUE = "harvested"
"""The source whose items are rows of the work queue."""
AWAY_SECONDS = 60.0
"""A difference of the two clocks that is worth a word."""


def close(
    stop: Stop, tally: Tally, rests: Mapping[str, str], declined: Mapping[tuple[str, str], str], parts: Parts
) -> SessionReport:
    """End what is left of ours, close the session (unless a cycle is still open), and say what happened.

    `rests`: targets that rest now, with the reason. No agent is started here: a session that was told to stop has stopped.
    """
    survivors = parts.reap((parts.run,))
    quarantined = in_quarantine(parts.ledger.standings)
    state = parts.journal.read()
    if state.open is None or state.open.asked:
        try:
            parts.journal.note(Step.CLOSED, stop_reason=stop.reason, detail=stop.detail)
        except OSError as error:  # a full disk must not cost the report: the next start goes on with this session
            tally.notices.append(
                f"the journal could not be closed: {error.strerror or error}; ao evolve goes on with this session"
            )
    ended = parts.clock.now()
    if abs(away := jumped(tally.began, ended)) >= AWAY_SECONDS:
        tally.notices.append(f"the machine slept, or its clock was set: {away / 60:+.0f} min that count as no work")
    report = SessionReport(
        session_id=parts.session,
        run_id=parts.run,
        started=tally.began.wall,
        ended=ended.wall,
        worked=parts.meter.time.seconds(),
        stop=stop,
        rows=tuple(tally.rows),
        attention=_attention(tally, rests, quarantined, survivors, parts.unbooked.owed),
        resting=tuple(PassedOver(key, why) for key, why in rests.items()),
        declined=_declined(tally, declined, rests),
        before=tally.before,
        after=tally.after,
        usage=tally.used,
        head_before=state.session_head,
        head_after=tally.sha or state.session_head,
        level=next((row.level for row in reversed(tally.rows) if row.level), ""),
        survivors=survivors,
        notices=tuple(tally.notices),
        trajectory=tuple(tally.trajectory),
        pauses=tuple(sorted(tally.pauses, key=lambda one: one.began)),
        follow_ups=follow_ups(tally.troubles, _goals_that_rest(tally, rests), quarantined, tally.after),
    )
    if state.open is not None and not state.open.asked:
        what = f"cycle {state.open.cycle} is not settled: the next start puts it in order"
        unsettled = Attention(what, "ao evolve", AttentionKind.UNSETTLED)
        report = replace(report, attention=(unsettled, *report.attention))
    productive = sum(one.productive for one in tally.outcomes)
    parts.events.emit(
        Event.SESSION_ENDED,
        session=parts.session,
        stop_reason=stop.reason,
        detail=stop.detail,
        cycles=len(tally.outcomes),
        productive=productive,
    )
    parts.telemetry.project(cycle=tally.outcomes[-1].cycle if tally.outcomes else 0, stop_reason=stop.reason)
    return report


def with_earlier_rows(report: SessionReport, rows: Sequence[CycleRow]) -> SessionReport:
    """The report with what earlier starts of the same session did: their rows, what waits because of them, what they cost."""
    if not rows:
        return report
    resting = {one.key for one in report.resting}
    look = tuple(one for row in rows if row.target not in resting for one in worth_a_look(row))
    usage = report.usage
    for row in rows:
        usage = usage.plus(Usage(0.0, row.tokens_in, row.tokens_out, row.usd))
    starts = len({row.run_id for row in rows} | {report.run_id})
    notice = f"the session was started {starts} times; cycles up to {rows[-1].cycle} are of earlier starts"
    first = wall_of(rows[0].timestamp)
    began = report.started if first is None else min(report.started, first - (rows[0].seconds or 0.0))
    return replace(
        report,
        started=began,
        rows=(*rows, *report.rows),
        attention=by_urgency((*report.attention, *look)),
        usage=usage,
        notices=(*report.notices, notice),
    )


def by_urgency(found: Iterable[Attention]) -> tuple[Attention, ...]:
    """The most urgent kind first, each in the order in which it happened."""
    order = list(AttentionKind)
    return tuple(sorted(found, key=lambda one: order.index(one.kind)))


def _goals_that_rest(tally: Tally, rests: Mapping[str, str]) -> dict[str, str]:
    """An item of the queue that rests stands there already; a second item about it would help nobody. What was escalated
    has a report of its own.
    """
    queued = {row.target for row in tally.rows if row.source == QUEUE}
    return {target: why for target, why in rests.items() if target not in queued and why != ESCALATED}


def _declined(tally: Tally, gave_up: Mapping[tuple[str, str], str], rests: Mapping[str, str]) -> tuple[PassedOver, ...]:
    """Work that nobody could do, each once: what the last look down the ladder passed over, and what workers gave up."""
    found = {one.key: one for one in tally.passed.values() if one.key not in rests}
    for (worker, key), why in gave_up.items():
        found.setdefault(key, PassedOver(key, f"{worker}: {why}"))
    return tuple(found.values())


def _attention(
    tally: Tally, rests: Mapping[str, str], quarantined: Collection[str], survivors: int, unbooked: Sequence[Owed]
) -> tuple[Attention, ...]:
    """The most urgent kind first, each in the order in which it happened."""
    found: list[Attention] = []
    for one in unbooked:
        what = f"{one.item.key}: cycle {one.cycle} ended `{one.verdict.result}`, and that could not be written down: {one.why}"
        found.append(Attention(what, f"ao queue consume {quote(one.item.key)}", AttentionKind.UNBOOKED))
    if survivors:
        found.append(Attention(f"{survivors} processes of this session could not be ended", "ao status", AttentionKind.SURVIVORS))
    for target, why in rests.items():
        if why == ESCALATED:
            found.append(Attention(f"{target}: {why}", "ls .agents/evolve/scope-escapes", AttentionKind.ESCAPED))
            continue
        kind = AttentionKind.QUARANTINED if target in quarantined else AttentionKind.RESTING
        found.append(Attention(f"{target}: {why}", "ao history", kind))
    found += [one for one, target in tally.attention if target is None or target not in rests]
    if tally.after is not None:
        broken = (goal.goal_id for goal in tally.after.goals if goal.broken)
        found += [Attention(f"the check of {one} cannot run", "ao goals validate", AttentionKind.BROKEN) for one in broken]
    return by_urgency(found)
