"""What a loop is made of. Composed in `app`, replaced by twins in the simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agentops.core.clock import Clock
from agentops.core.events import Events
from agentops.core.fitness import Fitness
from agentops.core.journals import Journal
from agentops.core.judging import Check, Finding
from agentops.core.places import Effect, Place, Start
from agentops.core.stops import Scope, Stop
from agentops.core.work import Worker, WorkItem
from agentops.evolve.journal_lines import JournalState
from agentops.evolve.ledger import Ledger
from agentops.evolve.unbooked import Unbooked
from agentops.meter.session import SessionMeter
from agentops.policy.settings import Settings
from agentops.records.rows import CycleRow
from agentops.work.ladder import Ladder


class LoopJournal(Journal, Protocol):
    """The journal as the loop writes and reads it."""

    run: str
    agent: str
    worked: Callable[[], float]

    def opened(self, cycle: int, item: WorkItem) -> None: ...

    def idle(self, cycle: int) -> None: ...

    def last_cycle(self) -> int: ...

    def read(self) -> JournalState: ...

    def begin_session(self, session: str, *, head: str, last_cycle: int) -> None: ...


class LoopPlace(Place, Protocol):
    """A place that recovery can question after a crash."""

    def changed_after(self, start: Start, wall: float) -> frozenset[str]:
        """Paths of the present difference to the start that changed after `wall`; in doubt, they did."""
        ...

    def foreign_head(self, start: Start) -> tuple[str, ...]:
        """Commits or moves of HEAD since the start that are not the cycle's own."""
        ...

    def post_still_equal(self, effect: Effect) -> bool:
        """Whether the tree is exactly the effect's `post`."""
        ...

    def protect_state(self, start: Start, effect: Effect, paths: Sequence[str]) -> frozenset[str]:
        """Put these files of ours back from `pre`, where they are as `post` saw them; returns those that were."""
        ...

    def held(self, start: Start, path: str) -> bytes | None:
        """The bytes of a plain file at the start; None when it was not there, was none, or was too large to be held."""
        ...

    def paths_between(self, one: str, other: str) -> frozenset[str]:
        """Paths that differ between two commits; what a person's commits changed between two cycles."""
        ...


class Guard(Protocol):
    """Our own records during a cycle: remembered before, put back after."""

    def remember(self) -> None: ...

    def make_way(self, queue: bytes | None) -> None:
        """What a cycle that was cut off put in their place moves aside. `queue`: the work queue as the cycle found it."""
        ...

    def put_rows_back(self) -> dict[str, str]:
        """The queue's part of `put_back`, by itself."""
        ...

    def put_back(self) -> dict[str, str]: ...

    @property
    def new_items(self) -> int:
        """Work items that the cycle left in the queue, as `put_back` last saw it."""
        ...


class Goals(Protocol):
    """The goals as the loop sees them; without a goals file every measurement is None and `there` is False."""

    @property
    def there(self) -> bool: ...

    def measure(self, place: Place, scope: Scope, known: Fitness | None = None) -> Fitness | None:
        """All goals on the place's tree; None when measuring failed as a whole.

        `known`: measured on an equal tree before; what still holds of it is taken over.
        """
        ...

    def publish(self, fitness: Fitness, *, after: bool) -> None:
        """Write the snapshot files that other tools read."""
        ...

    def read_again(self) -> frozenset[str]:
        """Load the file anew between cycles; the ids whose row changed. Raises UnusableFile."""
        ...

    def about(self, paths: frozenset[str]) -> frozenset[str]:
        """Ids of goals whose inputs or check name one of these paths."""
        ...

    def fingerprint(self, goal_id: str) -> str:
        """Names how a goal's row reads; empty for a goal that is not there."""
        ...

    def holds(self, known: Fitness) -> bool:
        """Whether all of a measurement still holds on an equal tree: nothing in it is volatile or cut off."""
        ...


class Gate(Protocol):
    """Makes the checks of one cycle."""

    def checks(self, item: WorkItem, before: Fitness | None, touched: frozenset[str]) -> tuple[Check, ...]: ...

    def already(self, item: WorkItem, place: Place, scope: Scope) -> bool | None:
        """Whether the item's own check passes before anybody has worked; None when nothing was run to find out."""
        ...


class Telemetry(Protocol):
    """What other tools read along."""

    def cycle_complete(self, row: CycleRow) -> None:
        """One `evolve cycle-complete` row; never raises."""
        ...

    def flaked(self, cycle: int, finding: Finding) -> None:
        """A check that failed for reasons of its own: one line of the flake ledger; never raises."""
        ...

    def project(self, **facts: object) -> None:
        """`session-state.json`, for other readers; never raises."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """`reap`: ends every survivor of these runs, returns how many could not be ended. `after_cycle`: a stop that waits for
    the cycle's end. `pause_asked`: `ao pause` is in force. `room`: free bytes where we write.
    `released`: targets that a person freed; the same ones until `released_noted` was called.
    """

    clock: Clock
    place: LoopPlace
    ladder: Ladder
    workers: tuple[Worker, ...]
    gate: Gate
    goals: Goals
    journal: LoopJournal
    events: Events
    meter: SessionMeter
    ledger: Ledger
    guard: Guard
    telemetry: Telemetry
    settings: Settings
    session: str
    run: str
    reap: Callable[[tuple[str, ...]], int]
    after_cycle: Callable[[], Stop | None]
    pause_asked: Callable[[], bool]
    room: Callable[[], int]
    released: Callable[[], frozenset[str]] = frozenset
    released_noted: Callable[[], None] = lambda: None
    unbooked: Unbooked = field(default_factory=Unbooked)
