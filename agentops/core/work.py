"""Work: what there is to do, who offers it, who does it and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Instant
from agentops.core.fitness import Fitness
from agentops.core.judging import Verdict
from agentops.core.passing import PassedOver as PassedOver
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One thing worth doing. `key` is its stable name, unique within its source, and the `target` of its row.

    `timeout`: seconds that its check may take, where the usual limit is not meant. `ref`: where its source finds it again.
    `files`: paths that it names. `origin`: the batch that it came with.
    `output`: what the failing check printed, its first and last part.
    """

    source: str
    key: str
    title: str
    prompt: str
    check: str | None = None
    fix: str | None = None
    metric: str | None = None
    timeout: float | None = None
    weight: int = 5
    ref: str = ""
    files: tuple[str, ...] = ()
    origin: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """What a choice may depend on; plain facts, so that choosing is a pure function.

    `fitness` is None when measuring failed as a whole. `resting` and `declined` are keys that are passed over, with the reason.
    """

    fitness: Fitness | None
    resting: Mapping[str, str] = field(default_factory=dict)
    declined: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """What one source offers, best first, and what it passed over and why. `items` may be made one by one as they are read."""

    items: Sequence[WorkItem] = ()
    passed_over: tuple[PassedOver, ...] = ()


Seen = object
"""What a source saw when it looked; its own business, handed back to its `offer`."""


class Source(Protocol):
    """One rung of the ladder: offers work, best first, and never blocks longer than its budget."""

    name: str

    def look(self, scope: Scope) -> Seen:
        """Read what there is: the source's only I/O, bounded."""
        ...

    def offer(self, world: World, seen: Seen) -> Offer:
        """Pure."""
        ...

    def claim(self, item: WorkItem) -> str | None:
        """Take the item for this run; a token, or None when someone else has it."""
        ...

    def settle(self, item: WorkItem, token: str, verdict: Verdict) -> None:
        """Book what came of it. Idempotent by token."""
        ...


class Claimed(StrEnum):
    """What a worker says of its own work. A claim, not a fact: judging compares it with the effect."""

    DONE = "DONE"
    PARTIAL = "PARTIAL"
    BLOCKED = "BLOCKED"
    FAIL = "FAIL"
    ALREADY_DONE = "ALREADY_DONE"
    SCOPE_ESCAPE = "SCOPE_ESCAPE"
    NOTHING = "NOTHING"  # it said nothing at all


AGENT_WORKER = "phases"
"""The worker that hands work to a coding agent. Only its tries can come out differently the next time, cost money and
be interrupted by a limit."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of handing an item to a worker.

    `parked_until` with `parked_phase`: a limit or a pause interrupted that phase; nothing is charged. `declined`: the
    reason why this worker can't do this work. `ended` is that of the run that decided. `doubts`: where the worker's word
    contradicts its own numbers. `phases`: seconds of each phase, all its tries together.
    """

    worker: str
    ended: Ended
    claimed: Claimed = Claimed.NOTHING
    summary: str = ""
    runs: tuple[AgentRun, ...] = ()
    declined: str | None = None
    parked_until: Instant | None = None
    parked_phase: str | None = None
    doubts: tuple[str, ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict)

    @property
    def usage(self) -> Usage:
        total = Usage()
        for run in self.runs:
            total = total.plus(run.usage)
        return total


class Worker(Protocol):
    """`remedy`, `search`, `phases`: asked in this order; the first that does not decline works."""

    name: str

    def declines(self, item: WorkItem) -> str | None:
        """Why this worker can't do this work; None when it can."""
        ...

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        """Do it. `resume` names the phase that a pause interrupted; finished phases are not run again."""
        ...
