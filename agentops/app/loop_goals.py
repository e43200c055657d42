"""The goals as the loop uses them: read once, judged with that copy, read again between cycles."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase

from agentops.app.baselines import keep_baseline
from agentops.core.clock import Clock
from agentops.core.errors import AoError, ExitCode, UnusableFile
from agentops.core.events import Event, Events
from agentops.core.fitness import Fitness, Goal
from agentops.core.judging import Again
from agentops.core.places import Place
from agentops.core.processes import Host
from agentops.core.stops import Scope
from agentops.evolve.own_files import FITNESS, FITNESS_AFTER
from agentops.goals.document import GoalsDocument, load
from agentops.goals.measure import measure, once_more
from agentops.goals.pace import Pace
from agentops.host.files import stamp
from agentops.records import fitness_file


class NoGoals(UnusableFile):
    """There is no GOALS.md here or above, and nothing else that could give work."""

    exit_code = ExitCode.ENVIRONMENT
    mend = "write GOALS.md with a `## Gates` table (README has an example)"


class LoopGoals:
    """Implements the loop's `Goals`. `find` names the goals file, `head` the present commit for the snapshot file.

    `problem`: why there are no goals; a crash may have left the file deleted or torn, and recovery must come first.
    With a `clock` the first measurement of a goals era is kept as its baseline.
    """

    def __init__(
        self,
        find: Callable[[], str | None],
        top: str,
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
        self._pace = Pace()
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

    def measure(self, place: Place, scope: Scope) -> Fitness | None:
        if self.document is None:
            return None
        found = measure(self.document, place, self._host, scope, last=self._last, pace=self._pace, git_sha=self._head()[:7])
        self._last = found or self._last
        return found

    def once_more(self, ids: frozenset[str], place: Place, scope: Scope) -> Again:
        if self.document is None:
            return Again(unclear=ids)
        return once_more(self.document, ids, place, self._host, scope)

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
        return frozenset(goal.id for goal in self.goals if any(_concerns(goal, path) for path in paths))

    def reusable(self) -> bool:
        return not any(goal.volatile for goal in self.goals)


def _concerns(goal: Goal, path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in goal.inputs) or path in goal.check
