"""What the event log still knows of earlier starts of a session: its pauses, and how the goals stood. Only for looking at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentops.core.events import Event
from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.evolve.report import Measured, Pause, SessionReport
from agentops.views.events import Happened


def with_earlier_events(report: SessionReport, seen: Sequence[Happened]) -> SessionReport:
    """The report with the pauses and measurements of the session's earlier starts. `seen`: events, oldest first."""
    before = [one for one in seen if one.run != report.run_id and one.run.rpartition(".")[0] == report.session_id]
    if not before:
        return report
    points = _measured(before, report)
    return replace(
        report,
        pauses=(*_pauses(before), *report.pauses),
        trajectory=(*points, *report.trajectory),
        before=_fitness(points[0], report.after) if points else report.before,
    )


def _pauses(seen: Sequence[Happened]) -> tuple[Pause, ...]:
    """From parking to going on; one that a crash ended lasted to the last sign of life."""
    found: list[Pause] = []
    parked: Happened | None = None
    for one in seen:
        if one.event is Event.PARKED:
            parked = one
        elif parked is not None and one.event in (Event.RESUMED, Event.CYCLE_ENDED, Event.RECOVERED):
            why = "a limit of the agent" if parked.seconds("until") is not None else "ao pause"
            found.append(Pause(why, parked.at, one.at, parked.number("cycle")))
            parked = None
    return tuple(found)


def _measured(seen: Sequence[Happened], report: SessionReport) -> tuple[Measured, ...]:
    """Each measurement that names every goal that does not pass (events name fifty); the last one after a cycle counts."""
    names = [goal.goal_id for goal in report.after.goals] if report.after is not None else []
    found: dict[int, Measured] = {}
    cycle = min((row.cycle for row in report.rows), default=1) - 1
    for one in seen:
        if one.event is Event.CYCLE_ENDED:
            cycle = one.number("cycle") or cycle
        if one.event is not Event.MEASURED or one.number("total") != len(names):
            continue
        failing, unclear = set(one.texts("failing")), set(one.texts("unclear"))
        goals = {
            name: GoalOutcome.FAIL if name in failing else GoalOutcome.SKIP if name in unclear else GoalOutcome.PASS
            for name in names
        }
        if sum(outcome is GoalOutcome.PASS for outcome in goals.values()) == one.number("passing"):
            found[cycle] = Measured(cycle, one.at, one.seconds("score") or 0.0, goals)
    return tuple(found.values())


def _fitness(first: Measured, after: Fitness | None) -> Fitness:
    weights = {goal.goal_id: goal.weight for goal in after.goals} if after is not None else {}
    return Fitness("", "", tuple(GoalResult(name, outcome, weights.get(name, 5), 0.0) for name, outcome in first.goals.items()))
