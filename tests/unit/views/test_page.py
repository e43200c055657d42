"""The HTML report: whole, harmless, and the same facts as on screen, whatever goals, commits and agents are called."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.fitness import GoalOutcome
from agentops.core.stops import Stop, StopReason
from agentops.evolve.report import Measured, SessionReport
from agentops.views.page import MOST_TRIES, html
from agentops.views.picture import COLUMNS, ROWS, chosen, picture, thinned
from tests.unit.views.a_night import a_night

NASTY = '<script>alert(1)</script>"\x1b[31m&{{ 7*7 }}\u202e|'
_EMPTY = frozenset({"meta", "br", "line", "path", "circle", "rect"})
OUTCOMES = st.sampled_from(list(GoalOutcome))
POINTS = st.lists(
    st.builds(
        Measured, st.integers(0, 99), st.just(0.0), st.just(0.0), st.dictionaries(st.text(max_size=30), OUTCOMES, max_size=40)
    ),
    max_size=90,
)


class _Reader(HTMLParser):
    """Tags that must close do; what stands in the page as text; every attribute that could load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [f"{tag} {name}={value}" for name, value in attrs if name in ("src", "href", "onclick", "onload", "action")]
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _EMPTY and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


@pytest.mark.parametrize("nasty", ["", NASTY], ids=["plain", "nasty"])
def test_every_tag_closes_and_nothing_runs_or_is_loaded(nasty: str) -> None:
    seen = _read(html(a_night(nasty=nasty)))
    assert (seen.wrong, seen.open, seen.loads) == ([], [], [])
    assert not seen.tags & {"script", "iframe", "img", "link", "object", "form"}
    assert "\x1b" not in seen.text
    assert ("<script>alert(1)</script>" in seen.text) is bool(nasty), "it stands there as text"
    assert "49" not in seen.text.replace("+41 −7", "") or not nasty


def test_what_waits_for_a_person_comes_before_all_else() -> None:
    text = _read(html(a_night())).text
    order = [
        "Look at this first",
        "cycle 9 is contested",
        "What is in the branch now",
        "Tried and taken back",
        "Goals",
        "Cost and time",
    ]
    at = [text.index(one) for one in order]
    assert at == sorted(at)
    assert "Mend the parser by hand" in text and "Maria" in text, "a person's commit stands under their name"
    assert "evolve: cycle" not in text, "commits of the ledger alone are counted, not listed"
    assert "what the agent cost is not known for 4 cycles" in text and "≥ $7.79" in text
    assert "a limit of the agent" in text and "needs a person" in text


def test_twenty_tries_of_one_target_are_one_thing_to_read() -> None:
    night = a_night(cycles=200)
    text = _read(html(night)).text
    assert text.count("earlier tries") >= 1
    assert text.count("the target did not move") <= 8 * MOST_TRIES


def test_a_session_in_which_nothing_happened_has_a_page_too() -> None:
    for reason in StopReason:
        text = _read(html(SessionReport("s", "s.1", 0.0, 0.0, 0.0, Stop(reason, "")))).text
        assert "Nothing waits for you." in text and "no cycle ran" in text


def test_a_thousand_cycles_and_goals_stay_a_page_that_a_phone_can_load() -> None:
    goals = {f"goal-{number}": GoalOutcome.PASS for number in range(1000)}
    points = tuple(Measured(number, 0.0, 0.0, goals) for number in range(1000))
    page = html(replace(a_night(1000), trajectory=points))
    assert len(page) < 1_500_000
    drawn = picture(points)
    assert drawn is not None and drawn.left_out == 1000 - ROWS and len(drawn.svg) < 300_000


@given(POINTS)
def test_the_picture_is_well_formed_for_every_trajectory(points: list[Measured]) -> None:
    drawn = picture(points)
    if drawn is None:
        assert len(points) < 2 or not points[-1].goals
        return
    seen = _read(str(drawn.svg))
    assert (seen.wrong, seen.open) == ([], [])
    assert all(word not in drawn.svg for word in ('"nan', '"inf', "-inf"))


@given(POINTS, st.integers(2, 80))
def test_a_long_night_is_thinned_and_keeps_its_start_and_end(points: list[Measured], most: int) -> None:
    shown = thinned(points, most)
    assert len(shown) == min(len(points), most)
    assert not points or (shown[0] is points[0] and shown[-1] is points[-1])
    if shown and shown[-1].goals:
        assert set(chosen(shown, COLUMNS)) <= set(shown[-1].goals)


def test_goals_that_moved_are_drawn_before_those_that_did_not() -> None:
    passes, fails = GoalOutcome.PASS, GoalOutcome.FAIL
    points = [Measured(0, 0, 0, {"a": passes, "b": fails, "c": fails}), Measured(1, 0, 0, {"a": passes, "b": fails, "c": passes})]
    assert chosen(points, 2) == ["c", "b"]
