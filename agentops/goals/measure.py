"""Measuring goals: every check run as a person would type it, its end mapped to pass, fail or skip (evolve.md section 2)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import Again
from agentops.core.places import Purpose, Startable
from agentops.core.processes import Ended, Exit, Host, Limits, Spec
from agentops.core.stops import Scope
from agentops.goals.document import GoalsDocument
from agentops.goals.outcomes import SYNTAX_CODE, result_of, skipped
from agentops.goals.pace import Pace, alone, longest_first, next_batch
from agentops.host.environment import resolve
from agentops.host.faults import fault
from agentops.records.times import utc_text

PER_GOAL = 60.0
WHOLE = 75.0
BASH = ("bash", "--noprofile", "--norc")
_MEASURING = "AO_MEASURING"
"""The goals being measured above us: a check that measures its own goal would never end."""

OnProgress = Callable[[GoalResult], None]


def measure(
    document: GoalsDocument,
    place: Startable,
    host: Host,
    scope: Scope,
    *,
    per_goal: float = PER_GOAL,
    whole: float | None = WHOLE,
    only: Collection[str] | None = None,
    on_progress: OnProgress | None = None,
    env: Mapping[str, str] | None = None,
    last: Fitness | None = None,
    pace: Pace | None = None,
    git_sha: str = "",
) -> Fitness | None:
    """Run the checks and say what they found, in the order of the file; None when the scope stopped it before its end.

    `per_goal` and `whole` are seconds (`whole` None: no limit); a goal's own `timeout` takes the place of the first and
    adds what it has more to the second. What the whole limit cuts off is `skip`. `only`: ids; one that is not there raises
    UsageError. `on_progress` gets each result as it comes. `last` and `pace` (kept by the caller) tell what takes
    long. Raises EnvironmentUnusable when there is no bash.
    """
    goals = _wanted(document, only)
    run = _Run(document.path, place, host, scope, dict(env or {}), on_progress, pace if pace is not None else Pace())
    took = {result.goal_id: result.seconds for result in last.goals if not result.timed_out} if last else {}
    limits = {goal.id: goal.timeout if goal.timeout is not None else per_goal for goal in goals}
    extra = sum(max(0.0, limit - per_goal) for limit in limits.values())
    bound = scope.within(whole + extra) if whole is not None else scope
    for batch, slots in _batches(goals, run, took):
        if not run.checks(batch, limits, slots, bound):
            return None
    results = tuple(run.results[goal.id] for goal in goals)
    return Fitness(utc_text(scope.clock.now().wall), git_sha, results)


def once_more(
    document: GoalsDocument, ids: Collection[str], place: Startable, host: Host, scope: Scope, *, per_goal: float = PER_GOAL
) -> Again:
    """These goals' checks, run again: which fail, and which could not do their work (time-out, killed, broken, stopped).

    One that says skip now has cleared itself.
    """
    asked = frozenset(goal.id for goal in document.goals if goal.id in ids)
    fitness = measure(document, place, host, scope, per_goal=per_goal, whole=None, only=asked)
    if fitness is None:
        return Again(unclear=asked)
    unclear = frozenset(goal.goal_id for goal in fitness.goals if goal.timed_out or goal.out_of_memory or goal.broken)
    failing = frozenset(goal.goal_id for goal in fitness.goals if goal.outcome is GoalOutcome.FAIL)
    return Again(failing - unclear, unclear)


def _wanted(document: GoalsDocument, only: Collection[str] | None) -> tuple[Goal, ...]:
    if only is None:
        return document.goals
    unknown = sorted(set(only) - {goal.id for goal in document.goals})
    if unknown:
        raise UsageError(f"{document.path} has no goal `{unknown[0]}`", mend="ao goals measure")
    return tuple(goal for goal in document.goals if goal.id in only)


@dataclass(slots=True)
class _Run:
    """One measurement under way."""

    path: str
    place: Startable
    host: Host
    scope: Scope
    env: dict[str, str]
    on_progress: OnProgress | None
    pace: Pace
    results: dict[str, GoalResult] = field(default_factory=dict)

    def checks(self, goals: Sequence[Goal], limits: Mapping[str, float], slots: int, bound: Scope) -> bool:
        """Run a batch; False when the scope (not the limit of the whole) stopped it."""
        ends = self._ends(goals, [self._spec(goal, limits[goal.id]) for goal in goals], slots, bound)
        suspects: list[tuple[Goal, Exit]] = []
        for goal, ended in ends:
            if ended.stop is not None:
                continue  # cut off: it said nothing
            self.pace.saw(goal.check, ended.seconds, ended.cpu_seconds)
            if ended.code == SYNTAX_CODE:
                suspects.append((goal, ended))
            else:
                self._found(result_of(goal, ended))
        unreadable = self._unreadable([goal for goal, _ in suspects])
        for goal, ended in suspects:
            self._found(result_of(goal, ended, unreadable=goal.id in unreadable))
        rest = [goal for goal in goals if goal.id not in self.results]
        if rest and self.scope.stopped() is not None:
            return False
        for goal in rest:
            self._found(
                skipped(goal, "not measured to its end: the time limit of the whole measurement was reached", timed_out=True)
            )
        return True

    def _ends(self, goals: Sequence[Goal], specs: Sequence[Spec], slots: int, bound: Scope) -> Iterator[tuple[Goal, Exit]]:
        if bound.stopped() is not None:
            return
        fault("goals.check.before")
        for at, ended in self.host.run_all(specs, bound, slots):
            if ended.ended is Ended.SPAWN_ERROR and resolve("bash", specs[at].env, specs[at].cwd) is None:
                raise EnvironmentUnusable("goals are checked with bash, and there is no bash on PATH", mend="install bash")
            yield goals[at], ended

    def runnable(self, goals: Sequence[Goal]) -> list[Goal]:
        """The goals without those that are being measured above us; these are skipped with the reason."""
        above = self._above().split()
        for goal in goals:
            if self._mark(goal) in above:
                self._found(skipped(goal, "its own check is running this measurement"))
        return [goal for goal in goals if goal.id not in self.results]

    def _spec(self, goal: Goal, limit: float) -> Spec:
        env = {**self.env, _MEASURING: f"{self._above()} {self._mark(goal)}".strip()}
        argv = (*BASH, "-c", goal.check)
        return self.place.spec(argv, Purpose.CHECK, env=env, limits=Limits(total=limit), merged=True)

    def _above(self) -> str:
        return self.env.get(_MEASURING) or os.environ.get(_MEASURING, "")

    def _mark(self, goal: Goal) -> str:
        return f"{hashlib.sha256(os.path.realpath(self.path).encode()).hexdigest()[:12]}/{goal.id}"

    def _unreadable(self, goals: Sequence[Goal]) -> frozenset[str]:
        """Of these goals, those whose check bash cannot parse. Asked of bash: its messages are translated, its `-n` is not."""
        specs = [
            self.place.spec((*BASH, "-n", "-c", goal.check), Purpose.CHECK, env=self.env, limits=Limits(total=10.0), merged=True)
            for goal in goals
        ]
        ends = self.host.run_all(specs, self.scope, len(specs)) if specs else iter(())
        return frozenset(goals[at].id for at, ended in ends if ended.code not in (0, None))

    def _found(self, result: GoalResult) -> None:
        self.results[result.goal_id] = result
        if self.on_progress is not None:
            self.on_progress(result)


def _batches(goals: Sequence[Goal], run: _Run, took: Mapping[str, float]) -> Iterator[tuple[Sequence[Goal], int]]:
    """What to run next and how many at once, decided anew after every batch by what the last ones needed."""
    ready = longest_first(run.runnable(goals), run.pace, took)
    waiting = [goal for goal in ready if not alone(goal)]
    while waiting:
        batch = next_batch(waiting, run.pace, os.cpu_count() or 1)
        yield waiting[: batch.size], batch.slots
        waiting = waiting[batch.size :]
    for goal in ready:
        if alone(goal):
            yield [goal], 1
