"""What a session did, for a person in the morning and for `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentops.core.agents import Usage
from agentops.core.fitness import Fitness, GoalOutcome
from agentops.core.judging import Result
from agentops.core.stops import Stop
from agentops.core.work import PassedOver, WorkItem
from agentops.evolve.outcomes import IDLE
from agentops.records.rows import CycleRow
from agentops.tree.story import Commit


class AttentionKind(StrEnum):
    """What kind of thing waits for a person; stable words, the most urgent first: reports lead with them in this order."""

    SURVIVORS = "survivors"  # processes that could not be ended
    UNSETTLED = "unsettled"  # a cycle whose outcome is not settled
    CONTESTED = "contested"  # someone else changed the same files
    SECRET = "secret"
    TAMPERED = "tampered"  # a cycle changed what judges it
    UNBOOKED = "unbooked"  # done, and its claim could not be settled
    QUARANTINED = "quarantined"  # mended and broken again, over and over
    ESCAPED = "escaped"  # needs more than its scope allows; a report says what
    RESTING = "resting"  # tried three times without success
    UNGATED = "ungated"  # kept, and nothing could check it
    NOISE = "noise"  # kept although checks failed for reasons of their own
    BROKEN = "broken"  # a check that cannot run
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Attention:
    """Something a person must look at, and the command that shows or mends it."""

    what: str
    command: str = ""
    kind: AttentionKind = AttentionKind.OTHER


@dataclass(frozen=True, slots=True)
class Measured:
    """Where the goals stood once. `after`: the number of the cycle that had ended last; `wall`: seconds since the epoch."""

    after: int
    wall: float
    score: float
    goals: Mapping[str, GoalOutcome]

    @property
    def passing(self) -> int:
        return sum(one is GoalOutcome.PASS for one in self.goals.values())


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which the session waited and did not work. `began` and `ended`: seconds since the epoch."""

    why: str
    began: float
    ended: float
    cycle: int | None = None


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Work that the end of a session found to be worth doing, by rules alone.

    `key` names it over all sessions, so that it is not written twice. `for_person`: nothing that runs unattended takes it.
    """

    key: str
    title: str
    type: str
    severity: str
    description: str
    evidence: str
    for_person: bool = False


@dataclass(frozen=True, slots=True)
class SessionReport:
    """`started` and `ended` are wall-clock seconds; `worked` is working time in seconds (pauses and sleep left out).

    `rows` are this start's, with what recovery brought to an end first; `attention` leads every view. `survivors` counts
    processes that could not be ended. `page`: where the HTML report lies, empty when there is none.
    """

    session_id: str
    run_id: str
    started: float
    ended: float
    worked: float
    stop: Stop
    rows: tuple[CycleRow, ...] = ()
    attention: tuple[Attention, ...] = ()
    resting: tuple[PassedOver, ...] = ()
    declined: tuple[PassedOver, ...] = ()
    before: Fitness | None = None
    after: Fitness | None = None
    usage: Usage = field(default_factory=Usage)
    head_before: str = ""
    head_after: str = ""
    level: str = ""
    survivors: int = 0
    notices: tuple[str, ...] = ()
    trajectory: tuple[Measured, ...] = ()
    pauses: tuple[Pause, ...] = ()
    commits: tuple[Commit, ...] = ()
    more_commits: int = 0
    follow_ups: tuple[FollowUp, ...] = ()
    repository: str = ""
    branch: str = ""
    page: str = ""

    @property
    def cycles(self) -> int:
        """Cycles that ran work or were idle."""
        return sum(row.result != Result.QUARANTINED for row in self.rows)

    @property
    def productive(self) -> int:
        return sum(row.productive for row in self.rows)

    @property
    def regressed(self) -> int:
        return sum(row.result == Result.REGRESSED for row in self.rows)

    @property
    def idle(self) -> int:
        return sum(row.target == IDLE for row in self.rows)

    @property
    def unknown_costs(self) -> int:
        """Cycles of an agent whose price nobody told."""
        return sum(row.cost_known is False for row in self.rows)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What the next cycle would do: the ladder's table, nothing written. `more`: how many stand behind `others`.

    `stopped`: the stop file because of which a real start would do nothing.
    """

    fitness: Fitness | None
    chosen: WorkItem | None
    source: str
    worker: str
    others: tuple[WorkItem, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    limits: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    more: int = 0
    stopped: str | None = None
