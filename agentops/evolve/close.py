"""The end of a session: one door, whatever the reason. Survivors gone, session closed, and one truthful report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.events import Event
from agentops.core.fitness import Fitness
from agentops.core.journals import Step
from agentops.core.judging import Result
from agentops.core.stops import Stop
from agentops.core.work import PassedOver
from agentops.evolve.cycle import Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.parts import Parts
from agentops.evolve.report import Attention, SessionReport
from agentops.evolve.rest import resting
from agentops.records.rows import CycleRow


@dataclass(slots=True)
class Account:
    """What this start has done so far; filled by the supervisor, read once at the end."""

    began: Instant
    outcomes: list[Outcome] = field(default_factory=list)
    rans: list[Ran] = field(default_factory=list)
    rows: list[CycleRow] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
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
        self.rans.append(ran)
        self.rows.append(ran.row)
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
        attention=attention(account, rests, survivors),
        resting=tuple(PassedOver(key, why) for key, why in rests.items()),
        declined=tuple(PassedOver(key, f"{worker}: {why}") for (worker, key), why in declined.items()),
        before=account.before,
        after=account.after,
        usage=account.used,
        head_before=state.session_head,
        head_after=next((ran.sha for ran in reversed(account.rans) if ran.sha), state.session_head),
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


def attention(account: Account, rests: Mapping[str, str], survivors: int) -> tuple[Attention, ...]:
    """What a person must look at, the worst first."""
    found: list[Attention] = []
    if survivors:
        found.append(Attention(f"{survivors} processes of this session could not be ended", "ao status"))
    for ran in account.rans:
        cycle = ran.outcome.cycle
        if ran.contested:
            found.append(Attention(f"cycle {cycle} is contested: {', '.join(sorted(ran.contested)[:5])}", f"ao diff {cycle}"))
    found += [Attention(f"{target}: {why}", "ao history") for target, why in rests.items()]
    for ran in account.rans:
        cycle, reason = ran.outcome.cycle, ran.outcome.reason
        if reason == "ungated":
            found.append(Attention(f"cycle {cycle} was kept although nothing could check it", f"ao diff {cycle}"))
        elif ran.outcome.result is Result.REGRESSED:
            found.append(Attention(f"cycle {cycle} made things worse ({reason}) and was taken back", f"ao diff {cycle}"))
        elif not ran.verdict.keep and ran.effect.paths:
            found.append(Attention(f"cycle {cycle}'s work was taken back ({reason}); it is kept", f"ao restore {cycle}"))
    return tuple(found)
