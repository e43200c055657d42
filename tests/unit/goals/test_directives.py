"""Directives: what counts as one, what its body keeps, and what of it can be checked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.goals.directives import Directive, Sign, Target
from agentops.goals.document import GoalsDocument, parse

GATES = "\n## Gates\n\n| ID | Check | Weight |\n|--|--|--|\n| lint | `true` | 5 |\n| coverage | `true` | 5 |\n"


def read(directives: str) -> GoalsDocument:
    return parse(f"# Goals\n\nm\n\n## Directives\n\n{directives}{GATES}".encode())


def notes(document: GoalsDocument) -> list[str]:
    assert not any(problem.fatal for problem in document.problems)
    return [problem.text for problem in document.problems]


def test_a_block_is_read_whole() -> None:
    document = read("### 1. Grow the tests\n\nAdd cases.\nMore of them.\n\n**Steer:** increase\n")
    assert document.directives == (Directive(1, "Grow the tests", "Add cases.\nMore of them.", "increase", line=7),)
    assert document.directives[0].key == "grow-the-tests"
    assert document.problems == ()


def test_the_last_steer_wins_and_the_body_goes_on_after_it() -> None:
    found = read("### 1. One\n**Steer:** hold\nbefore\n**steer**: complete\nafter\n").directives[0]
    assert (found.steer, found.description) == ("complete", "before\nafter")
    assert found.complete


def test_gates_and_target_are_read_and_stay_in_the_body() -> None:
    body = "**Gates:** `lint`, coverage\n**Target:** coverage >= 90%"
    found = read(f"### 1. One\n{body}\n").directives[0]
    assert found.gates == ("lint", "coverage")
    assert found.target == Target("coverage", Sign.AT_LEAST, 90.0)
    assert found.description == body


@pytest.mark.parametrize(
    ("text", "value", "met"),
    [
        ("coverage >= 80", 80.0, True),
        ("coverage > 80", 80.0, False),
        ("coverage ≥ 80", 79.9, False),
        ("`coverage` <= 3", 3.0, True),
        ("coverage < 3", 3.0, False),
        ("coverage = 0", 0.0, True),
        ("`coverage == -1.5`", -1.5, True),
    ],
)
def test_a_target_compares(text: str, value: float, met: bool) -> None:
    target = read(f"### 1. One\n**Target:** {text}\n").directives[0].target
    assert target is not None
    assert target.met(value) is met


def test_gates_and_targets_that_name_no_goal_are_said_and_kept() -> None:
    document = read("### 1. One\n**Gates:** lint, nope\n**Target:** gone >= 1\n")
    assert document.directives[0].gates == ("lint", "nope")
    assert document.directives[0].target == Target("gone", Sign.AT_LEAST, 1.0)
    assert notes(document) == [
        "the Gates name `nope`, and there is no goal of that name",
        "the Target names `gone`, and there is no goal of that name",
    ]


@pytest.mark.parametrize("text", ["as much as possible", "coverage 90", "90 <= coverage", "coverage >= much", "coverage >= nan"])
def test_a_target_that_is_not_understood_is_said_and_not_used(text: str) -> None:
    document = read(f"### 1. One\n**Target:** {text}\n")
    assert document.directives[0].target is None
    assert [note for note in notes(document) if "is not used" in note]


def test_headings_in_fences_and_comments_begin_nothing() -> None:
    document = read(
        "### 1. One\n\n```sh\n## not a heading\n### 9. not a directive\n**Steer:** decrease\n```\n"
        "<!--\n### 8. an idea of last year\n-->\n**Steer:** increase\n\n### 2. Two\n"
    )
    assert [(one.number, one.title, one.steer) for one in document.directives] == [(1, "One", "increase"), (2, "Two", "")]
    # a fence is shown to whoever works on it; what is commented out is not
    assert document.directives[0].description == "```sh\n## not a heading\n### 9. not a directive\n**Steer:** decrease\n```"


def test_a_heading_without_a_number_is_said_when_its_text_is_lost() -> None:
    document = read("### No number\n\nlost\n\n### 2. Two\n\nkept\n\n### Part of it\n\nkept too\n")
    assert [one.title for one in document.directives] == ["Two"]
    assert document.directives[0].description == "kept\n\n### Part of it\n\nkept too"
    assert notes(document) == ["`### No number` has no number (`### 1. Title`), so it is no directive"]


def test_two_directives_of_one_name_are_said() -> None:
    document = read("### 1. Same\n\n### 2. Same\n")
    assert [one.key for one in document.directives] == ["same", "same"]
    assert notes(document) == ["directive `Same` is there already, on line 7"]


def test_a_name_line_gives_the_key() -> None:
    assert read("### 1. A title that changes\n**Directive ID:** `tests`\n").directives[0].key == "tests"


def test_a_title_in_any_script_is_its_own_key_wherever_it_stands() -> None:
    assert read("### 3. テスト\n").directives[0].key == "テスト"
    document = read("### 1. Быстрее API\n\n### 2. Проще API\n")
    assert [one.key for one in document.directives] == ["быстрее-api", "проще-api"] and not notes(document)
    assert read("### 3. !?\n").directives[0].key == "directive-3"


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_do_not_reach_the_body(ending: str) -> None:
    text = "# Goals\n\nm\n\n## Directives\n\n### 1. One\n\na\nb\n\n**Steer:** hold\n".replace("\n", ending)
    assert parse(text.encode()).directives == (Directive(1, "One", "a\nb", "hold", line=7),)


def test_stars_are_read() -> None:
    document = parse(b"# G\n\nm\n\n## North Stars\n\n- stay green\n* star two\n\n## anti stars\n\n- red main\n")
    assert (document.north_stars, document.anti_stars) == (("stay green", "star two"), ("red main",))


@given(st.text(max_size=300))
def test_no_text_makes_reading_fail(text: str) -> None:
    document = parse(f"# G\n\n## Directives\n\n### 1. One\n{text}\n## Gates\n".replace("\0", "").encode("utf-8", "replace"))
    assert all(one.title for one in document.directives)
