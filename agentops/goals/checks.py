"""One measurement under way: which checks run beside which, and what each end says about its goal."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.errors import EnvironmentUnusable
from agentops.core.fitness import Goal, GoalResult
from agentops.core.places import Purpose, Startable
from agentops.core.processes import Beside, Ended, Exit, Host, Limits, Slots, Spec
from agentops.core.stops import Scope
from agentops.goals import pace
from agentops.goals.outcomes import SYNTAX_CODE, result_of, skipped
from agentops.goals.pace import Load, Pace
from agentops.host.environment import resolve
from agentops.host.faults import fault

BASH = ("bash", "--noprofile", "--norc")
MEASURING = "AO_MEASURING"
"""The goals being measured above us: a check that measures its own goal would never end."""
_CUT_OFF = "not measured to its end: the time limit of the whole measurement was reached"


@dataclass(frozen=True, slots=True)
class Watch:
    """Who looks on. `began` gets the number of goals; `ended` each result as it comes, its exit None where no check ran.

    `tick` is called a few times a second by who measures for a person (`StopScope.pulse`).
    """

    began: Callable[[int], None] = lambda total: None
    started: Callable[[Goal], None] = lambda goal: None
    ended: Callable[[GoalResult, Exit | None], None] = lambda result, exit_: None
    tick: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Checks:
    """Runs checks of the goals file `path` in a place, and collects what they say in `results`."""

    path: str
    place: Startable
    host: Host
    scope: Scope
    env: Mapping[str, str]
    watch: Watch
    pace: Pace
    results: dict[str, GoalResult] = field(default_factory=dict)

    def side_by_side(self, goals: Sequence[Goal], limits: Mapping[str, float], bound: Scope) -> bool:
        """Run them, the best first, as many at once as leave each other room; False when the scope stopped it.

        `bound` is the scope with the limit of the whole: what that cuts off is skipped, and said.
        """
        pool = _Pool(list(goals), self.pace)
        return self._settle(goals, self._ends(pool, self._specs(pool, limits), pool.has_room, bound))

    def alone(self, goal: Goal, limit: float, bound: Scope) -> bool:
        """Run one with nothing beside it; False when the scope stopped it."""
        pool = _Pool([goal], self.pace)
        return self._settle([goal], self._ends(pool, self._specs(pool, {goal.id: limit}), 1, bound))

    def runnable(self, goals: Sequence[Goal]) -> list[Goal]:
        """The goals but those being measured above us, and those that nobody understands; they are skipped with the reason."""
        above = self._above().split()
        for goal in goals:
            if goal.id in self.results:
                continue  # known already
            if goal.unclear:
                self.found(skipped(goal, f"not run: {goal.unclear}"))
            elif self._mark(goal) in above:
                self.found(skipped(goal, "its own check is running this measurement"))
        return [goal for goal in goals if goal.id not in self.results]

    def found(self, result: GoalResult, exit_: Exit | None = None) -> None:
        """A goal's result is known."""
        self.results[result.goal_id] = result
        self.watch.ended(result, exit_)

    def _settle(self, goals: Sequence[Goal], ends: Iterator[tuple[Goal, Exit]]) -> bool:
        suspects: list[tuple[Goal, Exit]] = []
        for goal, ended in ends:
            if ended.stop is not None:
                continue  # cut off: it said nothing
            if ended.code == SYNTAX_CODE:
                suspects.append((goal, ended))
            else:
                self.found(result_of(goal, ended), ended)
        unreadable = self._unreadable([goal for goal, _ in suspects])
        for goal, ended in suspects:
            self.found(result_of(goal, ended, unreadable=goal.id in unreadable), ended)
        rest = [goal for goal in goals if goal.id not in self.results]
        if rest and self.scope.stopped() is not None:
            return False
        for goal in rest:
            self.found(skipped(goal, _CUT_OFF, timed_out=True))
        return True

    def _ends(self, pool: _Pool, specs: Iterator[Spec], slots: Slots, bound: Scope) -> Iterator[tuple[Goal, Exit]]:
        if bound.stopped() is not None:
            return
        fault("goals.check.before")
        for at, ended in self.host.run_all(specs, bound, slots):
            goal = pool.started[at]
            if ended.ended is Ended.SPAWN_ERROR and self._no_bash(goal):
                raise EnvironmentUnusable("goals are checked with bash, and there is no bash on PATH", mend="install bash")
            pool.end(at, ended)
            yield goal, ended

    def _specs(self, pool: _Pool, limits: Mapping[str, float]) -> Iterator[Spec]:
        """What starts next, decided when it starts."""
        while (goal := pool.take()) is not None:
            self.watch.started(goal)
            yield self._spec(goal, limits[goal.id])

    def _spec(self, goal: Goal, limit: float) -> Spec:
        env = {**self.env, MEASURING: f"{self._above()} {self._mark(goal)}".strip()}
        argv = (*BASH, "-c", goal.check)
        return self.place.spec(argv, Purpose.CHECK, env=env, limits=Limits(total=limit), merged=True)

    def _no_bash(self, goal: Goal) -> bool:
        spec = self._spec(goal, 1.0)
        return resolve("bash", spec.env, spec.cwd) is None

    def _above(self) -> str:
        return self.env.get(MEASURING) or os.environ.get(MEASURING, "")

    def _mark(self, goal: Goal) -> str:
        return f"{hashlib.sha256(os.fsencode(os.path.realpath(self.path))).hexdigest()[:12]}/{goal.id}"

    def _unreadable(self, goals: Sequence[Goal]) -> frozenset[str]:
        """Of these goals, those whose check bash cannot parse. Asked of bash: its messages are translated, its `-n` is not."""
        specs = [
            self.place.spec((*BASH, "-n", "-c", goal.check), Purpose.CHECK, env=self.env, limits=Limits(total=10.0), merged=True)
            for goal in goals
        ]
        ends = self.host.run_all(specs, self.scope, os.cpu_count() or 1) if specs else iter(())
        return frozenset(goals[at].id for at, ended in ends if ended.code not in (0, None))


@dataclass(slots=True)
class _Pool:
    """The goals that wait, and those that were started, in the order of their specs."""

    waiting: list[Goal]
    pace: Pace
    started: list[Goal] = field(default_factory=list)
    _known: dict[int, Load | None] = field(default_factory=dict)  # of what was started: what was known of it before
    _busy: dict[int, float] = field(default_factory=dict)
    _ended: list[Load] = field(default_factory=list)
    _next: int | None = 0

    def has_room(self, running: Sequence[Beside]) -> bool:
        """The launcher's question; the answer also says which goal it is that starts."""
        self._busy.update({one.index: one.busy for one in running})
        beside = [pace.Underway(self._known[one.index], Load(one.seconds, one.cpu_seconds, one.busy)) for one in running]
        known = [self.pace.of(goal.check) for goal in self.waiting]
        self._next = pace.following(known, beside, self._ended, os.cpu_count() or 1)
        return self._next is not None

    def take(self) -> Goal | None:
        if not self.waiting:
            return None
        goal = self.waiting.pop(self._next or 0)
        self._next = 0
        self._known[len(self.started)] = self.pace.of(goal.check)
        self.started.append(goal)
        return goal

    def end(self, at: int, ended: Exit) -> None:
        if ended.stop is None and ended.ended is not Ended.SPAWN_ERROR:
            load = Load(ended.seconds, ended.cpu_seconds, self._busy.get(at, 0.0))
            self._ended.append(load)
            self.pace.saw(self.started[at].check, load)
