"""What one start of a session has done so far, kept for its report; filled as the loop goes, read once at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentops.core.agents import Usage
from agentops.core.clock import Instant
from agentops.core.fitness import Fitness
from agentops.core.judging import Finding, FindingKind, ReasonKind, check_name, reason_kind
from agentops.core.work import AGENT_WORKER, PassedOver
from agentops.evolve.cycle import Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.report import Attention, AttentionKind, Measured, Pause
from agentops.gate.noise import NOISE
from agentops.records.fitness_file import score
from agentops.records.rows import CycleRow

MOST = 1000
"""How many rows and remarks of one start its report holds; the ledger and the event log hold all."""


DETAIL = 100
"""How much of a check's last words a remark holds, in characters."""
TROUBLE = NOISE | {FindingKind.GATE_ERROR}
"""Findings about the checks themselves, whatever the work was."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A check that gave trouble of its own in a cycle. `subject`: the goal, the command's number, or the path it changed."""

    kind: FindingKind
    subject: str
    detail: str
    cycle: int


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
    trajectory: deque[Measured] = field(default_factory=lambda: deque(maxlen=MOST))
    pauses: deque[Pause] = field(default_factory=lambda: deque(maxlen=MOST))
    troubles: deque[Trouble] = field(default_factory=lambda: deque(maxlen=MOST))

    def measured(self, fitness: Fitness, *, after: int, wall: float) -> None:
        """`after`: the number of the cycle that ended last."""
        self.before = self.before or fitness
        self.after = fitness
        if self.trajectory and self.trajectory[-1].after == after:
            self.trajectory.pop()
        goals = {goal.goal_id: goal.outcome for goal in fitness.goals}
        self.trajectory.append(Measured(after, wall, round(score(fitness.goals), 3), goals))

    def passed_over(self, passed: Sequence[PassedOver]) -> None:
        self.passed = {one.key: one for one in passed}

    def ran(self, ran: Ran) -> None:
        """A cycle of this start."""
        self._ended(ran.row, ran.verdict.evidence)
        self.sha = ran.sha or self.sha
        self.used = self.used.plus(ran.attempt.usage)

    def recovered(self, row: CycleRow) -> None:
        """A cycle of an earlier start that this one brought to its end; what it cost stands in its row."""
        self._ended(row, ())
        self.sha = row.sha or self.sha
        self.used = self.used.plus(Usage(0.0, row.tokens_in, row.tokens_out, row.usd))

    def idle(self, row: CycleRow) -> None:
        """An empty pass."""
        self.rows.append(row)

    def _ended(self, row: CycleRow, evidence: Sequence[Finding]) -> None:
        self.rows.append(row)
        # What is contested is said in any case; the rest of a target's remarks fall silent when it rests.
        target = None if row.contested else row.target
        self.attention.extend((one, target) for one in worth_a_look(row, evidence))
        self.troubles.extend(Trouble(one.kind, one.subject, one.detail, row.cycle) for one in evidence if one.kind in TROUBLE)


def worth_a_look(row: CycleRow, evidence: Sequence[Finding] = ()) -> tuple[Attention, ...]:
    """What a person must look at of one cycle; that its work was simply taken back stands in its row."""
    cycle, reason = row.cycle, reason_kind(row.reason)
    if row.contested:
        paths = ", ".join(sorted(row.contested)[:5])
        return (Attention(f"cycle {cycle} is contested: {paths}", f"ao diff {cycle}", AttentionKind.CONTESTED),)
    if reason is ReasonKind.TAMPERED:
        what = (row.reason or "").partition(":")[2] or "a file"
        told = f"cycle {cycle} changed what judges it ({what}) and was taken back"
        return (Attention(told, f"ao diff {cycle}", AttentionKind.TAMPERED),)
    if reason is ReasonKind.SCOPE_ESCAPE:
        told = f"cycle {cycle}: {row.target} needs more than its scope allows"
        return (Attention(told, "ls .agents/evolve/scope-escapes", AttentionKind.ESCAPED),)
    doubts = [one.detail for one in evidence if one.kind is FindingKind.NOTE and one.subject == AGENT_WORKER]
    if row.productive and doubts:
        return (Attention(f"cycle {cycle} was kept, but {doubts[0]}", f"ao diff {cycle}"),)
    if row.productive and reason is ReasonKind.UNGATED:
        return (Attention(f"cycle {cycle} was kept although nothing could check it", f"ao diff {cycle}", AttentionKind.UNGATED),)
    if row.productive and reason in (ReasonKind.FLAKY, ReasonKind.ENVIRONMENT):
        noise = {one.subject: one.detail for one in evidence if one.kind in NOISE}
        checks = "; ".join(_told(subject, noise[subject]) for subject in sorted(noise)) or "see ao logs"
        told = f"cycle {cycle} was kept although checks failed for reasons of their own: {checks}"
        goals = not any(subject.isdecimal() for subject in noise)  # measuring runs no gate command
        return (Attention(told, "ao goals measure" if goals else "ao logs", AttentionKind.NOISE),)
    return ()


def _told(subject: str, detail: str) -> str:
    """A check, and why in one short line; a command's detail begins with what was run."""
    why = " ".join(detail.split())
    why = why if len(why) <= DETAIL else why[: DETAIL - 1] + "…"
    return f"{check_name(subject)} ({why})" if why else check_name(subject)
