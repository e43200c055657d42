"""The goals as the loop uses them: read once, judged with that copy, read again between cycles."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace

from agentops.app.baselines import keep_baseline
from agentops.app.check_times import store_pace, stored_pace
from agentops.core.clock import Clock
from agentops.core.errors import AoError, ExitCode, UnusableFile
from agentops.core.events import Event, Events
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again
from agentops.core.places import Place, Purpose
from agentops.core.processes import Exit, Host
from agentops.core.stops import Scope
from agentops.evolve.own_files import FITNESS, FITNESS_AFTER
from agentops.goals.checks import Watch
from agentops.goals.document import GoalsDocument, load
from agentops.goals.inputs import concerns, fingerprint
from agentops.goals.measure import measure, once_more, sample
from agentops.goals.outcomes import SHOWN
from agentops.goals.reuse import Passes, held, holds
from agentops.host.files import stamp
from agentops.records import fitness_file, known_passes

IN_PLACE = "in-place"
KNOWN_PASSES = "known-passes.json"
EVENT_HEAD = EVENT_TAIL = 2000
"""Bytes of both ends of a check's output in the event log."""


class NoGoals(UnusableFile):
    """There is no GOALS.md here or above, and nothing else that could give work."""

    exit_code = ExitCode.ENVIRONMENT
    mend = "ao goals init   (writes a first GOALS.md that fits this repository)"


class LoopGoals:
    """Implements the loop's `Goals`. `find` names the goals file, `head` the present commit for the snapshot file,
    `state` our own folder.

    `problem`: why there are no goals; a crash may have left the file deleted or torn, and recovery must come first.
    With a `clock` the first measurement of a goals era is kept as its baseline.
    """

    def __init__(
        self,
        find: Callable[[], str | None],
        top: str,
        state: str,
        host: Host,
        events: Events,
        head: Callable[[], str],
        clock: Clock | None = None,
    ) -> None:
        self._find = find
        self._top = top
        self._host = host
        self._events = events
        self._head = head
        self._clock = clock
        self._state = state
        self._pace = stored_pace(state)
        self._known_passes = known_passes.read(os.path.join(state, KNOWN_PASSES))
        self._last: Fitness | None = None
        self.path: str | None = None
        self.document: GoalsDocument | None = None
        self.problem: AoError | None = None
        self._stamp = self._stamped()
        try:
            self._open()
        except UnusableFile as error:
            self.problem = error

    def _open(self) -> None:
        self.path = self._find()
        if self.path is None:
            raise NoGoals
        self._stamp = self._stamped()  # before the look: a change during it must still be seen afterwards
        self.document = load(self.path)

    def _stamped(self) -> tuple[int, int, int] | None:
        return stamp(self.path) if self.path is not None else None

    @property
    def there(self) -> bool:
        return self.document is not None

    @property
    def goals(self) -> tuple[Goal, ...]:
        return self.document.goals if self.document else ()

    def measure(self, place: Place, scope: Scope, known: Fitness | None = None) -> Fitness | None:
        if self.document is None:
            return None
        passes = self._passes(place, scope)
        holding = {**passes.of(self.goals), **held(self.goals, known)}
        watch = Watch(ended=self._said)
        found = measure(
            self.document,
            place,
            self._host,
            scope,
            known=holding,
            watch=watch,
            last=self._last,
            pace=self._pace,
            git_sha=self._head()[:7],
        )
        if found is None:
            return None
        self._last = found
        if any(not result.reused for result in found.goals):
            self._remember(passes, found)
        return found

    def once_more(self, ids: frozenset[str], place: Place, scope: Scope) -> Again:
        if self.document is None:
            return Again(unclear=ids)
        return once_more(self.document, ids, place, self._host, scope)

    def sample(self, goal_id: str, times: int, place: Place, scope: Scope) -> tuple[GoalResult, ...]:
        return () if self.document is None else sample(self.document, goal_id, times, place, self._host, scope)

    def _passes(self, place: Place, scope: Scope) -> Passes:
        """Only where what we read is what a check sees: in the checkout itself."""

        def seen(goal: Goal) -> str | None:
            return fingerprint(goal, place.path, place.spec(("true",), Purpose.CHECK).env) if place.name == IN_PLACE else None

        return Passes(self._known_passes, seen, scope.clock.now)

    def _remember(self, passes: Passes, found: Fitness) -> None:
        """What the next start may know: how long checks take, and which passes hold while their inputs do."""
        store_pace(self._state, self._pace)
        if passes.learn(self.goals, {result.goal_id: result for result in found.goals}):
            known_passes.write(os.path.join(self._state, KNOWN_PASSES), self._known_passes)

    def _said(self, result: GoalResult, exit_: Exit | None) -> None:
        """Both ends of what a check printed, where the snapshot's 500 characters may not tell enough."""
        if exit_ is None or (result.outcome is GoalOutcome.PASS and len(exit_.out) <= SHOWN):
            return
        tail = exit_.out_tail or exit_.out[EVENT_HEAD:]
        self._events.emit(
            Event.CHECK_SAID,
            goal=result.goal_id,
            result=result.outcome,
            seconds=round(result.seconds, 3),
            head=exit_.out[:EVENT_HEAD].decode("utf-8", "replace"),
            tail=tail[-EVENT_TAIL:].decode("utf-8", "replace"),
            left_out=max(0, len(exit_.out) + exit_.dropped + len(exit_.out_tail) - EVENT_HEAD - EVENT_TAIL),
        )

    def publish(self, fitness: Fitness, *, after: bool) -> None:
        path = os.path.join(self._top, FITNESS_AFTER if after else FITNESS)
        try:
            fitness_file.write(path, fitness)
        except OSError as error:
            self._events.emit(Event.NOTICE, text=f"{path} could not be written: {error.strerror}")
        if self._clock is not None and not after and self.document is not None:
            keep_baseline(self._top, self.document.raw, fitness, self._clock, self._events)

    def read_again(self) -> frozenset[str]:
        if self.document is None:
            try:
                self._open()
            except NoGoals:
                return frozenset()  # other rungs may give work without any goals
            self.problem = None
        now = self._stamped()
        if self.path is None or self.document is None or now == self._stamp:
            return frozenset()
        fresh = load(self.path)
        self._stamp = now
        if fresh.raw == self.document.raw:
            return frozenset()
        old = {goal.id: replace(goal, line=0) for goal in self.document.goals}
        new = {goal.id: replace(goal, line=0) for goal in fresh.goals}
        self.document = fresh
        return frozenset(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))

    def about(self, paths: frozenset[str]) -> frozenset[str]:
        return frozenset(goal.id for goal in self.goals if any(concerns(goal, path) for path in paths))

    def fingerprint(self, goal_id: str) -> str:
        goal = next((one for one in self.goals if one.id == goal_id), None)
        return hashlib.sha256(repr(replace(goal, line=0)).encode()).hexdigest()[:16] if goal is not None else ""

    def holds(self, known: Fitness) -> bool:
        of = {result.goal_id: result for result in known.goals}
        return all(goal.id in of and holds(goal, of[goal.id]) for goal in self.goals)
