"""The rung of directives: what the owner wants more or less of, while there is a gap (evolve.md section 3, rung 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentops.core.fitness import Fitness, Goal, GoalOutcome
from agentops.core.judging import Verdict
from agentops.core.stops import Scope
from agentops.core.work import Offer, PassedOver, Seen, WorkItem, World
from agentops.goals.directives import Directive

WEIGHT = 5


@dataclass(frozen=True, slots=True)
class _Seen:
    directives: tuple[Directive, ...]
    goals: Mapping[str, Goal]
    done: frozenset[str]


class Directives:
    """Offers directives in the order of the file. `done`: keys of those that something productive was done for in this era of
    the goals file.
    """

    name = "directive"

    def __init__(
        self,
        directives: Callable[[], tuple[Directive, ...]],
        goals: Callable[[], tuple[Goal, ...]],
        done: Callable[[], frozenset[str]],
        run: str,
    ) -> None:
        self._directives, self._goals, self._done, self._run = directives, goals, done, run

    def look(self, scope: Scope) -> Seen:
        return _Seen(self._directives(), {goal.id: goal for goal in self._goals()}, self._done())

    def offer(self, world: World, seen: Seen) -> Offer:
        if not isinstance(seen, _Seen):
            return Offer()
        items: list[WorkItem] = []
        passed: list[PassedOver] = []
        for one in seen.directives:
            gap = gap_of(one, world.fitness, one.key in seen.done)
            if gap.there:
                items.append(_item(one, gap.why, seen.goals))
            elif not gap.settled:
                passed.append(PassedOver(one.key, gap.why))
        return Offer(tuple(items), tuple(passed))

    def claim(self, item: WorkItem) -> str | None:
        return f"{self._run}:{item.key}"

    def settle(self, item: WorkItem, token: str, verdict: Verdict) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Gap:
    """Whether something is left to do, and what, or why not. `settled`: there is none, as opposed to nobody can tell."""

    there: bool
    why: str
    settled: bool = False


def gap_of(one: Directive, fitness: Fitness | None, done: bool) -> Gap:
    """What is left to do for a directive. Pure.

    What can be checked is checked; else one productive cycle in this era of the goals file is enough.
    """
    if one.complete:
        return Gap(False, "its owner says that it is complete", settled=True)
    if not one.gates and one.target is None:
        why = "something was done for it since the goals were last changed" if done else "nothing yet"
        return Gap(not done, why, settled=done)
    if fitness is None:
        return Gap(False, "its gates could not be measured")
    failing = [gate for gate in one.gates if (seen := fitness.of(gate)) is not None and seen.failing]
    if failing:
        return Gap(True, f"{', '.join(failing)} {'fails' if len(failing) == 1 else 'fail'}")
    if one.target is not None:
        value = seen.value if (seen := fitness.of(one.target.goal_id)) is not None else None
        if value is None:
            return Gap(False, f"`{one.target}` can't be told: the goal's check printed no number")
        if not one.target.met(value):
            return Gap(True, f"`{one.target}`: it is {value:g}")
    unclear = [gate for gate in one.gates if (seen := fitness.of(gate)) is None or seen.outcome is not GoalOutcome.PASS]
    if unclear:
        return Gap(False, f"{', '.join(unclear)} could not be checked")
    return Gap(False, "its gates pass and its target is met", settled=True)


def _item(one: Directive, gap: str, goals: Mapping[str, Goal]) -> WorkItem:
    named = dict.fromkeys((*one.gates, *((one.target.goal_id,) if one.target else ())))
    checks = [f"( {goals[name].check} )" for name in named if name in goals]
    parts = [f"Directive: {one.title}", one.description.strip(), f"Steer: {one.steer}" if one.steer else "", f"The gap: {gap}"]
    parts += [f"Goal `{name}`: {goals[name].check}" for name in named if name in goals]
    return WorkItem(
        source=Directives.name,
        key=one.key,
        title=one.title,
        prompt="\n\n".join(filter(None, parts)),
        check=" && ".join(checks) or None,
        weight=WEIGHT,
        ref=str(one.number),
    )
