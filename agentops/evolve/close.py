"""The end of a session: one door, whatever the reason. Survivors gone, session closed, and one truthful report."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.events import Event
from agentops.core.fitness import Fitness
from agentops.core.journals import Step
from agentops.core.judging import ReasonKind, Result
from agentops.core.stops import Stop
from agentops.core.work import PassedOver
from agentops.evolve.cycle import Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.parts import Parts
from agentops.evolve.report import Attention, SessionReport
from agentops.evolve.rest import resting
from agentops.gate.noise import NOISE
from agentops.records.rows import CycleRow

MOST = 1000
"""How many rows and remarks of one start its report holds; the ledger and the event log hold all."""


@dataclass(slots=True)
class Account:
    """What this start has done so far; filled by the supervisor, read once at the end."""

    began: Instant
    outcomes: list[Outcome] = field(default_factory=list)
    rows: deque[CycleRow] = field(default_factory=lambda: deque(maxlen=MOST))
    attention: deque[tuple[Attention, str | None]] = field(default_factory=lambda: deque(maxlen=MOST))
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=MOST))
    sha: str = ""
    before: Fitness | None = None
    after: Fitness | None = None
    passed: dict[str, PassedOver] = field(default_factory=dict)
    used: Usage = field(default_factory=Usage)
    full: int = 0

    def measured(self, fitness: Fitness) -> None:
        self.before = self.before or fitness
        self.after = fitness

    def passed_over(self, passed: Sequence[PassedOver]) -> None:
        self.passed = {one.key: one for one in passed}

    def ran(self, ran: Ran) -> None:
        self.sha = ran.sha or self.sha
        self.rows.append(ran.row)
        # What is contested is said in any case; the rest of a target's remarks fall silent when it rests.
        target = None if ran.contested else ran.outcome.target
        self.attention.extend((one, target) for one in worth_a_look(ran))
        self.used = self.used.plus(ran.attempt.usage)

    def idle(self, row: CycleRow) -> None:
        self.rows.append(row)


def close(
    stop: Stop, account: Account, outcomes: Sequence[Outcome], declined: Mapping[tuple[str, str], str], parts: Parts
) -> SessionReport:
    """End what is left of ours, close the session (unless a cycle is still open), and say what happened.

    No agent is started here: a session that was told to stop has stopped.
    """
    survivors = parts.reap((parts.run,))
    state = parts.journal.read()
    if state.open is None or state.open.asked:
        parts.journal.note(Step.CLOSED, stop_reason=stop.reason, detail=stop.detail)
    rests = resting(outcomes)
    ended = parts.clock.now()
    report = SessionReport(
        session_id=parts.session,
        run_id=parts.run,
        started=account.began.wall,
        ended=ended.wall,
        worked=parts.meter.time.seconds(),
        stop=stop,
        rows=tuple(account.rows),
        attention=_attention(account, rests, survivors),
        resting=tuple(PassedOver(key, why) for key, why in rests.items()),
        declined=_declined(account, declined, rests),
        before=account.before,
        after=account.after,
        usage=account.used,
        head_before=state.session_head,
        head_after=account.sha or state.session_head,
        level=next((row.level for row in reversed(account.rows) if row.level), ""),
        survivors=survivors,
        notices=tuple(account.notices),
    )
    productive = sum(one.productive for one in account.outcomes)
    parts.events.emit(
        Event.SESSION_ENDED,
        session=parts.session,
        stop_reason=stop.reason,
        detail=stop.detail,
        cycles=len(account.outcomes),
        productive=productive,
    )
    parts.telemetry.project(cycle=account.outcomes[-1].cycle if account.outcomes else 0, stop_reason=stop.reason)
    return report


def _declined(account: Account, gave_up: Mapping[tuple[str, str], str], rests: Mapping[str, str]) -> tuple[PassedOver, ...]:
    """Work that nobody could do, each once: what the last look down the ladder passed over, and what workers gave up."""
    found = {one.key: one for one in account.passed.values() if one.key not in rests}
    for (worker, key), why in gave_up.items():
        found.setdefault(key, PassedOver(key, f"{worker}: {why}"))
    return tuple(found.values())


def worth_a_look(ran: Ran) -> tuple[Attention, ...]:
    """What a person should know of one cycle beyond its row."""
    cycle, reason = ran.outcome.cycle, ran.outcome.reason
    if ran.contested:
        return (Attention(f"cycle {cycle} is contested: {', '.join(sorted(ran.contested)[:5])}", f"ao diff {cycle}"),)
    if reason == ReasonKind.UNGATED:
        return (Attention(f"cycle {cycle} was kept although nothing could check it", f"ao diff {cycle}"),)
    if ran.outcome.result is Result.REGRESSED:
        return (Attention(f"cycle {cycle} made things worse ({reason}) and was taken back", f"ao diff {cycle}"),)
    if ran.verdict.keep and reason in (ReasonKind.FLAKY, ReasonKind.ENVIRONMENT):
        checks = ", ".join(sorted({one.subject for one in ran.verdict.evidence if one.kind in NOISE}))
        return (
            Attention(f"cycle {cycle} was kept although checks failed for reasons of their own: {checks}", "ao goals measure"),
        )
    if not ran.verdict.keep and ran.effect.paths:
        return (Attention(f"cycle {cycle}'s work was taken back ({reason}); it is kept", f"ao restore {cycle}"),)
    return ()


def _attention(account: Account, rests: Mapping[str, str], survivors: int) -> tuple[Attention, ...]:
    """The worst first: what still runs, what is contested, what rests, then the rest in order."""
    found: list[Attention] = []
    if survivors:
        found.append(Attention(f"{survivors} processes of this session could not be ended", "ao status"))
    found += [one for one, target in account.attention if target is None]
    found += [Attention(f"{target}: {why}", "ao history") for target, why in rests.items()]
    return (*found, *(one for one, target in account.attention if target is not None and target not in rests))
