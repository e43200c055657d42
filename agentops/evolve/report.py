"""What a session did, for a person in the morning and for `--json`."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentops.core.agents import Usage
from agentops.core.fitness import Fitness
from agentops.core.stops import Stop
from agentops.core.work import PassedOver, WorkItem
from agentops.records.rows import CycleRow


@dataclass(frozen=True, slots=True)
class Attention:
    """Something a person must look at, and the command that shows or mends it."""

    what: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class SessionReport:
    """`started` and `ended` are wall-clock seconds; `worked` is working time in seconds (pauses and sleep left out).

    `rows` are this start's; `attention` leads every view. `survivors` counts processes that could not be ended.
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


@dataclass(frozen=True, slots=True)
class DryRun:
    """What the next cycle would do: the ladder's table, nothing written. `more`: how many stand behind `others`."""

    fitness: Fitness | None
    chosen: WorkItem | None
    source: str
    worker: str
    others: tuple[WorkItem, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    limits: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    more: int = 0
