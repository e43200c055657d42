"""The journal: which step of which cycle has been reached, durable before the next act."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agentops.core.fitness import Fitness
from agentops.core.judging import Verdict
from agentops.core.places import Effect, Settled, Start
from agentops.core.work import Attempt, WorkItem


class Step(StrEnum):
    """Steps of a cycle in order (evolve.md section 8), then the lines of a session."""

    OPENED = "opened"
    CLAIMED = "claimed"
    STARTED = "started"
    PHASE = "phase"
    PARKED = "parked"
    ENDED = "ended"
    PROBE = "probe"
    VERDICT = "verdict"
    TREE = "tree"
    ROW = "row"
    LEDGER = "ledger"
    SETTLED = "settled"
    CLEARED = "cleared"
    DECLINED = "declined"
    ASKED = "asked"
    WOKEN = "woken"
    SESSION = "session"
    RUN = "run"
    BEAT = "beat"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class InFlight:
    """A cycle that the journal opened and never closed. `beat`: wall time of the last sign of life of any run.

    `step` is the last one noted. What was not reached is None. `effect` is the last journalled one (parked or ended).
    `new_items`: work items that the cycle added to the queue.
    `before`: the goals at the start; `passing`/`total`: after the cycle. `asked`: recovery left the tree alone
    and waits for a person's word; `later` are the paths changed after the crash, `moved` what someone else did to HEAD.
    """

    cycle: int
    run: str
    step: Step
    item: WorkItem
    beat: float
    agent: str = ""
    token: str | None = None
    start: Start | None = None
    before: Fitness | None = None
    attempt: Attempt | None = None
    effect: Effect | None = None
    verdict: Verdict | None = None
    passing: int | None = None
    total: int | None = None
    seconds: float = 0.0
    settled: Settled | None = None
    log_sha: str | None = None
    asked: bool = False
    new_items: int = 0
    later: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()


class Journal(Protocol):
    """Written by the holder of the lease alone."""

    def note(self, step: Step, *, durable: bool = True, **facts: object) -> None:
        """Append one step. `durable`: on the disk before this returns."""
        ...

    def open_cycle(self) -> InFlight | None:
        """The cycle that was cut off, if there is one."""
        ...
