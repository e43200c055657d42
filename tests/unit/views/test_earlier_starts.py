"""A session that was cut off and went on has one report, with what its first hours were like."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.agents import Usage
from agentops.core.events import Event
from agentops.core.fitness import GoalOutcome
from agentops.core.judging import Result
from agentops.evolve.close import with_earlier_rows
from agentops.evolve.report import AttentionKind, Pause
from agentops.records.rows import CycleRow
from agentops.views.earlier_starts import with_earlier_events
from agentops.views.events import Happened
from tests.unit.views.a_night import NAMES, START, a_night

SESSION = "20261130-2204-a1b2"
SECOND = replace(a_night(), run_id=f"{SESSION}.2", pauses=(), trajectory=(), attention=())


def _event(at: float, name: Event, run: str = f"{SESSION}.1", **facts: object) -> Happened:
    return Happened(START + at, name, run, dict(facts))


def test_rows_costs_and_warnings_of_the_first_start_are_not_lost_by_a_power_cut() -> None:
    first = CycleRow(
        0, "a", Result.IMPROVED, "2026-11-30T22:10:00Z", reason="ungated", tokens_in=7, usd=0.5, seconds=60.0, run_id="x.1"
    )
    whole = with_earlier_rows(replace(SECOND, usage=Usage(1.0, 1, None, 1.0)), (first,))
    assert [row.cycle for row in whole.rows[:2]] == [0, 1]
    assert (whole.usage.tokens_in, whole.usage.usd) == (8, 1.5)
    assert [one.kind for one in whole.attention] == [AttentionKind.UNGATED]
    assert with_earlier_rows(SECOND, ()) is SECOND


def test_a_pause_before_the_power_cut_stands_in_the_report() -> None:
    seen = [
        _event(100, Event.PARKED, cycle=3, until=START + 4000),
        _event(4000, Event.RESUMED, cycle=3),
        _event(5000, Event.PARKED, cycle=3, until=None),
        _event(6000, Event.RECOVERED, run=f"{SESSION}.2", cycle=3),
        _event(50, Event.PARKED, run="another.1", cycle=1),
    ]
    assert with_earlier_events(SECOND, seen).pauses == (Pause("a limit of the agent", START + 100, START + 4000, 3),)


def test_goals_are_counted_from_the_sessions_start_and_only_where_all_is_known() -> None:
    failing = list(NAMES[2:])
    seen = [
        _event(0, Event.MEASURED, passing=1, total=8, failing=failing, unclear=[NAMES[1]]),
        _event(60, Event.CYCLE_ENDED, cycle=4),
        _event(70, Event.MEASURED, passing=2, total=8, failing=failing[:3], unclear=[]),
        _event(80, Event.MEASURED, passing=5, total=9, failing=[]),
    ]
    whole = with_earlier_events(SECOND, seen)
    assert [(one.after, one.passing) for one in whole.trajectory] == [(0, 1)], "lists that were cut say nothing of the rest"
    assert whole.trajectory[0].goals[NAMES[1]] is GoalOutcome.SKIP
    assert whole.before is not None and whole.before.passing == 1


_FACTS = st.dictionaries(
    st.sampled_from(["cycle", "passing", "total", "failing", "until"]),
    st.none() | st.integers() | st.text() | st.lists(st.text()),
)


@given(st.lists(st.builds(Happened, st.floats(0, 1e9), st.sampled_from(list(Event)), st.just(f"{SESSION}.1"), _FACTS)))
def test_events_of_any_kind_never_cost_the_report(seen: list[Happened]) -> None:
    whole = with_earlier_events(SECOND, seen)
    assert whole.rows == SECOND.rows and all(one.began <= START * 2 for one in whole.pauses)
