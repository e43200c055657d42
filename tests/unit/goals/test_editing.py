"""Edits of goals files: what was meant is there afterwards, and every byte that it did not touch is as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal, GoalType
from agentops.goals.directives import Directive
from agentops.goals.document import GoalsDocument, parse
from agentops.goals.editing import (
    CannotEdit,
    with_directive,
    with_directive_at,
    with_goal,
    without_directive,
    without_goals,
)

MARKDOWN = """\
# Goals

Stay healthy.

<!-- a comment of the owner -->

## North Stars

- green

## Notes of ours

Anything may stand here: | even | this |

## Directives

Some words before.

### 1. One

first body

**Steer:** hold

### 3. Two
**Steer:** increase
tight body

### 7. Three

last body

## Gates

Words before the table.

| ID      | Check              | Weight | Description | Owner |
|---------|--------------------|--------|-------------|-------|
| lint    | `ruff check .`     | 5      | no findings | ann   |
| tests   | `make a \\| tail`   | 8      | all green   | bob   |

Words after it.

## Last

the end"""
YAML = """\
# the owner's words
version: 2
mission: 'stay green'   # a comment

goals:
  # about lint
  - id: lint
    description: no findings   # kept
    check: "ruff check ."
    weight: 5

  # about tests
  - id: tests
    check: |
      make a
      make b
    description: >-
      all
      green
    weight: 8
  - {id: flow, description: d, check: 'true', weight: 1}
# the end
"""
FEW = settings(max_examples=60, deadline=None)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=30)
COMMAND = TEXT.map(str.strip).filter(lambda text: text and text not in "-–—" and " " * 2 not in text)


def markdown(ending: str = "\n", bom: bool = False, end: str = "") -> GoalsDocument:
    return parse((b"\xef\xbb\xbf" if bom else b"") + (MARKDOWN + end).replace("\n", ending).encode())


def yaml(text: str = YAML) -> GoalsDocument:
    return parse(text.encode(), "GOALS.yaml")


def same(found: tuple[Goal, ...], wanted: tuple[Goal, ...]) -> bool:
    return [replace(goal, line=0) for goal in found] == [replace(goal, line=0) for goal in wanted]


@FEW
@given(
    check=COMMAND,
    description=COMMAND,
    weight=st.integers(1, 10),
    ending=ENDINGS,
    bom=st.booleans(),
    end=st.sampled_from(["", "\n"]),
)
def test_a_goal_that_was_added_is_read_and_nothing_else_changed(
    check: str, description: str, weight: int, ending: str, bom: bool, end: str
) -> None:
    before = markdown(ending, bom, end)
    goal = Goal("new-one", check, description, weight)
    raw = with_goal(before, goal)
    after = parse(raw)
    assert same(after.goals, (*before.goals, goal))
    lines, old = raw.splitlines(keepends=True), before.raw.splitlines(keepends=True)
    new = next(place for place, line in enumerate(lines) if line not in old)
    assert b"".join(lines[:new] + lines[new + 1 :]) == before.raw


@FEW
@given(check=COMMAND, description=COMMAND, weight=st.integers(1, 10), kind=st.sampled_from(list(GoalType)))
def test_a_goal_that_was_added_to_yaml_is_read_and_nothing_else_changed(
    check: str, description: str, weight: int, kind: GoalType
) -> None:
    before = yaml()
    goal = Goal("new-one", check, description, weight, type=kind)
    raw = with_goal(before, goal).decode()
    assert same(parse(raw.encode(), "GOALS.yaml").goals, (*before.goals, goal))
    at = raw.index("  - id: new-one")
    assert raw[:at] + raw[raw.index("# the end") :] == YAML


@FEW
@given(st.sets(st.sampled_from(["lint", "tests", "flow"])), st.booleans(), ENDINGS)
def test_goals_that_were_removed_are_gone_with_their_bytes_alone(ids: set[str], as_yaml: bool, ending: str) -> None:
    before = yaml(YAML.replace("\n", ending)) if as_yaml else markdown(ending)
    raw = without_goals(before, ids)
    after = parse(raw, before.path)
    assert same(after.goals, tuple(goal for goal in before.goals if goal.id not in ids))
    kept = raw.splitlines()
    remaining = iter(before.raw.splitlines())
    assert all(line in remaining for line in kept), "a line is new, or in another order"


@FEW
@given(
    title=COMMAND.filter(lambda text: not text.endswith("#")),
    body=st.lists(COMMAND, max_size=3),
    steer=st.sampled_from(["increase", "hold"]),
    ending=ENDINGS,
)
def test_a_directive_that_was_added_is_read_or_refused(title: str, body: list[str], steer: str, ending: str) -> None:
    before = markdown(ending)
    directive = Directive(8, title, "\n".join(body), steer)
    try:
        raw = with_directive(before, directive)
    except CannotEdit:
        # words such as `## x` or a second `**Steer:**` would be read as something else
        assert any(mark in line for line in (title, *body) for mark in ("#", "*", "`", "~", "<", ">"))
        return
    after = parse(raw)
    assert [replace(one, line=0) for one in after.directives][:3] == [replace(one, line=0) for one in before.directives]
    assert replace(after.directives[3], line=0) == directive
    remaining = iter(raw.splitlines())
    assert all(line in remaining for line in before.raw.splitlines())


@FEW
@given(st.integers(0, 2), st.integers(0, 2), ENDINGS)
def test_a_directive_that_was_moved_stands_there_and_bodies_stay(at: int, to: int, ending: str) -> None:
    before = markdown(ending)
    raw = with_directive_at(before, at, to)
    titles = [one.title for one in before.directives]
    titles.insert(to, titles.pop(at))
    after = parse(raw)
    assert [(one.number, one.title) for one in after.directives] == list(enumerate(titles, start=1))
    assert sorted(one.description for one in after.directives) == sorted(one.description for one in before.directives)
    unnumbered = [line for line in before.raw.splitlines() if not line.startswith(b"### ")]
    assert sorted(line for line in raw.splitlines() if not line.startswith(b"### ")) == sorted(unnumbered)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_directive_that_was_removed_takes_its_block_alone(at: int) -> None:
    before = markdown()
    after = parse(without_directive(before, at))
    left = [one.title for place, one in enumerate(before.directives) if place != at]
    assert [(one.number, one.title) for one in after.directives] == list(enumerate(left, start=1))
    text = after.raw.decode()
    assert "Some words before." in text
    assert "\n\n## Gates\n" in text and "\n\n\n" not in text


def test_a_row_stands_under_the_titles_of_its_table() -> None:
    raw = with_goal(markdown(), Goal("new", "true", "short", 3)).decode()
    assert "| all green   | bob   |\n| new     | `true`             | 3      | short       |       |\n" in raw


def test_columns_in_another_order_get_their_cells() -> None:
    before = parse(b"# G\n\nm\n\n## Gates\n\n| Weight | Description | ID | Check |\n|--|--|--|--|\n| 5 | d | a | `true` |\n")
    assert b"| 3 | why | new | `x \\| y` |\n" in with_goal(before, Goal("new", "x | y", "why", 3))


def test_what_a_table_has_no_column_for_is_not_lost_silently() -> None:
    before = parse(b"# G\n\nm\n\n## Gates\n\n| ID | Check |\n|--|--|\n| a | `true` |\n")
    assert with_goal(before, Goal("new", "true", "new", 5)).endswith(b"| new | `true` |\n")
    with pytest.raises(CannotEdit, match="would say something else"):
        with_goal(before, Goal("new", "true", "new", 7))


@pytest.mark.parametrize(
    "text",
    [
        "# G\n\nm\n",
        "# G\n\nm",
        "# G\n\nm\n\n## Gates\n",
        "# G\n\nm\n\n## Gates\n\nnothing yet\n\n## More\n",
        "# G\n\nm\n\n## Gates\n\n\n\n## More",
    ],
)
def test_a_file_without_a_table_gets_one(text: str) -> None:
    goal = Goal("new", "true", "d", 3)
    raw = with_goal(parse(text.encode()), goal)
    assert same(parse(raw).goals, (goal,))
    remaining = iter(raw.decode().splitlines())
    assert all(line in remaining for line in text.splitlines() if line)


@pytest.mark.parametrize("text", ["# G\n\nm\n", "# G\n\nm\n\n## Gates\n\n| ID | Check |\n|--|--|\n| a | `true` |\n"])
def test_a_file_without_directives_gets_the_section(text: str) -> None:
    raw = with_directive(parse(text.encode()), Directive(1, "Grow", "body", "increase"))
    assert b"## Directives\n\n### 1. Grow\n\nbody\n\n**Steer:** increase\n" in raw
    assert parse(raw).goals == () or raw.index(b"## Directives") < raw.index(b"## Gates")


@pytest.mark.parametrize(
    "text",
    [
        "version: 2\n",
        "version: 2",
        "version: 2\ngoals:\n",
        "version: 2\ngoals: []\n",
        "version: 2\ngoals: [{id: a, check: 'true', description: d, weight: 1}]\n",
        "version: 2\ngoals: [\n  {id: a, check: 'true', description: d, weight: 1},\n]\nmission: m\n",
        "version: 2\ngoals:\n- id: a\n  check: 'true'\n  description: d\n  weight: 1",
        "version: 2\ngoals:\n-\n  id: a\n  check: 'true'\n  description: d\n  weight: 1\nmission: m\n",
        "goals:\n    -   id: a\n        check: 'true'\n        description: d\n        weight: 1\n# end\nversion: 3\n",
    ],
)
def test_yaml_of_many_shapes_gets_a_goal_and_loses_it_again(text: str) -> None:
    before = yaml(text)
    goal = Goal("new", "a: 'b' # {c} | \\", "yes", 3)
    raw = with_goal(before, goal)
    assert same(parse(raw, "GOALS.yaml").goals, (*before.goals, goal))
    back = parse(without_goals(parse(raw, "GOALS.yaml"), {"new"}), "GOALS.yaml")
    assert same(back.goals, before.goals)
    assert back.mission == before.mission


def test_a_goal_that_others_refer_to_is_not_cut_out() -> None:
    before = yaml("version: 2\ngoals:\n- &a {id: a, check: 'true', description: d, weight: 1}\n- {<<: *a, id: b}\n")
    assert [goal.id for goal in before.goals] == ["a", "b"]
    with pytest.raises(Exception, match="undefined alias"):
        without_goals(before, {"a"})


def test_an_id_that_is_there_already_is_refused_with_its_line() -> None:
    with pytest.raises(CannotEdit, match="`lint` is there already, on line 39"):
        with_goal(markdown(), Goal("lint", "true", "d"))


PIECES = [
    "version: 2\n",
    "goals:\n",
    "- id: a\n",
    "  check: x\n",
    "  weight: 5\n",
    "&a ",
    "*a ",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
]
PIECES += [
    "'",
    '"',
    "|\n",
    "#",
    "\t",
    "\n",
    "!!str ",
    "--- ",
    "... ",
    "? ",
    "%YAML 1.1\n",
    "\x85",
    "\u2028",
    "null",
    "1e3",
    ".nan",
]


@FEW
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25))
def test_no_yaml_makes_reading_fail_with_anything_but_a_refusal(parts: list[str]) -> None:
    text = "".join(parts)
    for whole in (text, f"version: 2\ngoals:\n{text}"):
        try:
            found = parse(whole.encode("utf-8", "surrogatepass"), "GOALS.yaml")
        except UnusableFile as refusal:
            assert "GOALS.yaml" in str(refusal)
        else:
            assert all(goal.check and goal.id for goal in found.goals)
