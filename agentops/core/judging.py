"""Judging: checks find, a pure function decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope


class FindingKind(StrEnum):
    """What a check can find. Which of them weigh how much is `gate/verdict.py`'s business alone."""

    TARGET_REACHED = "target_reached"
    TARGET_MOVED = "target_moved"
    TARGET_UNMOVED = "target_unmoved"
    GOAL = "goal"  # passed at the start of the cycle, fails now
    COMMAND = "command"  # a gate command fails
    RAN = "ran"  # a command or goal check ran and passed: the gate is no empty one
    GATE_ERROR = "gate_error"  # a check that could not do its work: time-out, out of memory, tool missing
    TAMPERED = "tampered"
    STATE_TOUCHED = "state_touched"
    FLAKY = "flaky"
    ENVIRONMENT = "environment"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact with its evidence. `subject`: the goal id, the number of the command, the path."""

    kind: FindingKind
    subject: str
    detail: str = ""


def check_name(subject: str) -> str:
    """A check as a person knows it: a goal by its id; gate commands have numbers, which alone say nothing."""
    return f"gate command {subject}" if subject.isdecimal() else subject


class Result(StrEnum):
    """`result` of a ledger row: upstream's five words."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    HARVESTED = "harvested"
    QUARANTINED = "quarantined"


class ReasonKind(StrEnum):
    """Why a cycle ended as it did, in one word of the ledger."""

    TARGET_REACHED = "target_reached"
    JUDGED = "judged"
    UNGATED = "ungated"
    PARTIAL = "partial"
    FLAKY = "flaky"
    ENVIRONMENT = "environment"
    GOAL = "goal"
    COMMAND = "command"
    TAMPERED = "tampered"
    TARGET_UNMOVED = "target_unmoved"
    NOT_DONE = "not_done"
    NO_OP = "no_op"
    ALREADY_DONE = "already_done"
    SCOPE_ESCAPE = "scope_escape"
    CONTESTED = "contested"
    INTERRUPTED = "interrupted"
    GATE_ERROR = "gate_error"
    AGENT = "agent"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Reason:
    """`reason` of a ledger row, as `kind` or `kind:detail` (`goal:tests-green`, `agent:timeout`)."""

    kind: ReasonKind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.detail}" if self.detail else str(self.kind)


def reason_kind(text: str | None) -> ReasonKind | None:
    """The kind in a row's reason (`goal:fast` is `goal`); None for words that are not ours."""
    try:
        return ReasonKind((text or "").partition(":")[0])
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on a cycle; journalling it is the commit point. `keep`: the work stays."""

    result: Result
    reason: Reason
    keep: bool
    evidence: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """Subjects that were run once more: those that fail again, and those that could not do their work this time.

    Whatever is in neither passed. A check that timed out has not said that the work is good, nor that it is bad.
    """

    failing: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()


class Check(Protocol):
    """One way of looking at a cycle's effect. Returns findings, never a verdict, and never touches the tree."""

    name: str

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]: ...

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        """Run these subjects (each found failing before) once more, on the tree as it is now."""
        ...
