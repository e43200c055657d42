"""When a directive has a gap, and when work on it has helped."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import Fitness, Goal, GoalOutcome, GoalResult
from agentops.core.judging import FindingKind
from agentops.core.work import World
from agentops.gate.directive_check import closer
from agentops.goals.directives import Directive, Sign, Target
from agentops.work.directives import Directives, Gap, gap_of
from tests.twins.time import VirtualClock, VirtualScope

GOALS = (Goal("lint", "ruff check .", "Lint"), Goal("coverage", "cov", "Coverage"))
GATED = Directive(1, "Tidy", gates=("lint",))
AIMED = Directive(2, "Cover", target=Target("coverage", Sign.AT_LEAST, 80))
FREE = Directive(3, "Grow", "More of it.")
RESULTS = st.fixed_dictionaries(
    {"lint": st.sampled_from(GoalOutcome), "coverage": st.one_of(st.none(), st.floats(0, 100, allow_nan=False))}
)


def fitness(lint: GoalOutcome = GoalOutcome.PASS, coverage: float | None = 90.0) -> Fitness:
    results = (GoalResult("lint", lint, 5, 0.1), GoalResult("coverage", GoalOutcome.PASS, 5, 0.1, value=coverage))
    return Fitness("now", "sha", results)


def test_what_can_be_checked_is_checked_however_often_it_was_worked_on() -> None:
    assert gap_of(GATED, fitness(GoalOutcome.FAIL), done=True) == Gap(True, "lint fails")
    assert gap_of(AIMED, fitness(coverage=70.0), done=True) == Gap(True, "`coverage >= 80`: it is 70")
    assert not gap_of(GATED, fitness(), done=False).there and not gap_of(AIMED, fitness(), done=False).there


def test_what_nobody_can_check_is_worked_on_once_an_era() -> None:
    assert gap_of(FREE, None, done=False).there and not gap_of(FREE, fitness(), done=True).there


def test_what_could_not_be_measured_is_no_gap_and_says_so() -> None:
    for one, seen in ((GATED, None), (AIMED, fitness(coverage=None)), (GATED, fitness(GoalOutcome.SKIP))):
        gap = gap_of(one, seen, done=False)
        assert not gap.there and not gap.settled and ("could not" in gap.why or "can't be told" in gap.why)


def test_complete_is_complete() -> None:
    assert not gap_of(Directive(1, "x", steer="Complete", gates=("lint",)), fitness(GoalOutcome.FAIL), done=False).there


def test_the_offer_brings_its_checks_and_is_silent_about_what_is_settled() -> None:
    source = Directives(lambda: (GATED, AIMED, FREE), lambda: GOALS, lambda: frozenset({FREE.key}), "s.1")
    offer = source.offer(World(fitness(GoalOutcome.FAIL)), source.look(VirtualScope(VirtualClock())))
    assert [item.key for item in offer.items] == ["tidy"] and offer.passed_over == ()
    assert offer.items[0].check == "( ruff check . )" and "lint fails" in offer.items[0].prompt


@given(RESULTS, RESULTS)
def test_reached_is_exactly_where_no_gap_is_left(then: dict[str, object], now: dict[str, object]) -> None:
    both = Directive(1, "x", gates=("lint",), target=AIMED.target)
    after = fitness(**now)  # type: ignore[arg-type]
    found = closer(both, fitness(**then), after)  # type: ignore[arg-type]
    met = now["lint"] is GoalOutcome.PASS and now["coverage"] is not None and float(str(now["coverage"])) >= 80
    assert (found.kind is FindingKind.TARGET_REACHED) == met
    if found.kind is FindingKind.TARGET_REACHED:
        assert not gap_of(both, after, done=False).there


@given(RESULTS)
def test_nothing_that_stayed_the_same_has_moved(same: dict[str, object]) -> None:
    one = fitness(**same)  # type: ignore[arg-type]
    for directive in (GATED, AIMED):
        assert closer(directive, one, one).kind is not FindingKind.TARGET_MOVED


def test_a_number_that_goes_the_wrong_way_or_a_gate_that_is_lost_for_it_is_no_progress() -> None:
    both = Directive(1, "x", gates=("lint",), target=AIMED.target)
    assert closer(AIMED, fitness(coverage=70.0), fitness(coverage=60.0)).kind is FindingKind.TARGET_UNMOVED
    assert closer(AIMED, fitness(coverage=60.0), fitness(coverage=70.0)).kind is FindingKind.TARGET_MOVED
    lost = closer(both, fitness(coverage=60.0), fitness(GoalOutcome.FAIL, 70.0))
    assert lost.kind is FindingKind.TARGET_UNMOVED
