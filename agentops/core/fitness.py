"""Goals and what measuring them found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GoalOutcome(StrEnum):
    """Upstream's three words; a gate that is broken is written `fail` with `broken: true` beside it."""

    PASS = "pass"
    FAIL = "fail"
    SKIP = "skip"


class GoalType(StrEnum):
    """What a goal is about. Meta goals watch the others, and are measured before them."""

    HEALTH = "health"
    ARCHITECTURE = "architecture"
    QUALITY = "quality"
    META = "meta"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The number that a YAML goal's output is held against; `name` says what is counted."""

    name: str
    bound: float
    lower_is_better: bool = False

    def met(self, value: float) -> bool:
        """Whether a value is on the right side, the bound included."""
        return value <= self.bound if self.lower_is_better else value >= self.bound


@dataclass(frozen=True, slots=True)
class Goal:
    """One row of the Gates table (or one YAML goal). `timeout` in seconds; `line` is where it stands in its file, from 1.

    `unclear`: why nobody can say when it passes; such a goal is never run.
    """

    id: str
    check: str
    description: str
    weight: int = 5
    line: int = 0
    fix: str | None = None
    inputs: tuple[str, ...] = ()
    volatile: bool = False
    exclusive: bool = False
    timeout: float | None = None
    metric: str | None = None
    optimize: tuple[str, ...] = ()
    network: bool = False
    type: GoalType = GoalType.HEALTH
    pillar: str = ""
    tags: tuple[str, ...] = ()
    threshold: Threshold | None = None
    unclear: str = ""


@dataclass(frozen=True, slots=True)
class GoalResult:
    """One check, run once. `value` is the number it printed, where it printed one; `output` upstream's 500 characters,
    `tail` the last ones of what did not fit there: that is where test runners sum up. It goes to agents, into no file.

    `timed_out` and `not_started` go with `skip`: the check has not spoken.
    `reused`: not run now, since an earlier run on the same inputs still holds.
    """

    goal_id: str
    outcome: GoalOutcome
    weight: int
    seconds: float
    output: str = ""
    value: float | None = None
    broken: bool = False
    timed_out: bool = False
    out_of_memory: bool = False
    threshold: float | None = None
    not_started: bool = False
    tail: str = ""
    reused: bool = False

    @property
    def speechless(self) -> bool:
        """Something kept the check from its work: it says nothing about the tree, for or against it."""
        return self.timed_out or self.out_of_memory or self.not_started

    @property
    def printed(self) -> str:
        """What it printed, the middle of a long text left out."""
        return f"{self.output}\n[…]\n{self.tail}" if self.tail else self.output

    @property
    def failing(self) -> bool:
        return self.outcome is GoalOutcome.FAIL and not self.broken


@dataclass(frozen=True, slots=True)
class Fitness:
    """All goals measured on one tree."""

    timestamp: str
    git_sha: str
    goals: tuple[GoalResult, ...] = ()
    mutating: tuple[str, ...] = ()

    def of(self, goal_id: str) -> GoalResult | None:
        return next((goal for goal in self.goals if goal.goal_id == goal_id), None)

    @property
    def passing(self) -> int:
        return sum(goal.outcome is GoalOutcome.PASS for goal in self.goals)
