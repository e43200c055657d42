"""What one start of a session has done so far, kept for its report; filled as the loop goes, read once at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.fitness import Fitness
from agentops.core.judging import ReasonKind, Result
from agentops.core.work import PassedOver
from agentops.evolve.cycle import Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.report import Attention
from agentops.gate.noise import NOISE
from agentops.records.rows import CycleRow

MOST = 1000
"""How many rows and remarks of one start its report holds; the ledger and the event log hold all."""


@dataclass(slots=True)
class Tally:
    """`before` and `after`: the first and the last measurement; `full_disks`: how often it had to wait for room."""

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
    full_disks: int = 0

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


def worth_a_look(ran: Ran) -> tuple[Attention, ...]:
    """What a person should know of one cycle beyond its row."""
    cycle, reason = ran.outcome.cycle, ran.outcome.reason
    if ran.contested:
        return (Attention(f"cycle {cycle} is contested: {', '.join(sorted(ran.contested)[:5])}", f"ao diff {cycle}"),)
    if ran.verdict.keep and reason == ReasonKind.UNGATED:
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
