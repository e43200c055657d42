"""GOALS.md: what people write into it, and that no half of a row is ever run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentops.core.errors import ExitCode, UnusableFile
from agentops.core.fitness import Goal
from agentops.goals.cells import as_code, as_prose, split
from agentops.goals.document import GoalsDocument, Problem, find_goals_file, load, parse, render

HEADER = "| ID | Check | Weight | Description |\n|----|-------|--------|-------------|\n"


def gates(rows: str, header: str = HEADER) -> GoalsDocument:
    return parse(f"# Goals\n\nStay healthy.\n\n## Gates\n\n{header}{rows}".encode())


def checks(document: GoalsDocument) -> dict[str, str]:
    return {goal.id: goal.check for goal in document.goals}


def refused(document: GoalsDocument) -> list[int]:
    return [problem.line for problem in document.problems if problem.fatal]


def test_extension_columns_are_read_by_name_in_any_order() -> None:
    header = (
        "| Timeout | Fix | Check | ID | Inputs | Volatile | Exclusive | Metric | Optimize | Network |\n"
        "|--|--|--|--|--|--|--|--|--|--|\n"
    )
    document = gates(
        "| 1.5m | `make fix` | `make lint` | lint | src/**/*.{py,pyi}, `a b.txt` | x | yes | higher | a.py b.py | no |\n", header
    )
    assert document.problems == (
        Problem(9, "the Inputs mixes code spans and text in a list of paths; this row is not read", True),
    )
    document = gates(
        "| 1.5m | `make fix` | `make lint` | lint | src/**/*.{py,pyi}, x | x | yes | higher | a.py b.py | no |\n", header
    )
    assert document.problems == ()
    assert document.goals == (
        Goal(
            "lint",
            "make lint",
            "lint",
            weight=5,
            line=9,
            fix="make fix",
            inputs=("src/**/*.{py,pyi}", "x"),
            volatile=True,
            exclusive=True,
            timeout=90.0,
            metric="higher",
            optimize=("a.py", "b.py"),
            network=False,
        ),
    )


@pytest.mark.parametrize(
    "row",
    [
        "| a | `rm -rf x` and then some | 5 | d |",
        "| a | `one` `two` | 5 | d |",
        "| a | `never closed | 5 | d |",
        "| a | make test | tail -1 | 5 | d |",
        "| a | make test | tail -1 |",
        "| a | make test | 5 | 5 | d |",
        "| a | make te",
        "| a | `make te",
        "| a | `make | tail",
        "| a | `cat x | tee y` | 5",
        "| a |",
        "| a | | 5 | d |",
        "| | `true` | 5 | d |",
        "| Upper_Case | `true` | 5 | d |",
        "| a | `` | 5 | d |",
        "| a | ` ` | 5 | d |",
        "| a | echo \\`date\\` | 5 | d |",
    ],
)
def test_a_row_that_is_not_understood_whole_is_named_by_its_line_and_not_run(row: str) -> None:
    document = gates(f"{row}\n| whole | `true` | 5 | d |\n")
    assert checks(document) == {"whole": "true"}
    assert refused(document) == [9]


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("Timeout", "soon"),
        ("Timeout", "0"),
        ("Timeout", "-5"),
        ("Metric", "sideways"),
        ("Volatile", "perhaps"),
        ("Inputs", "{a,b"),
        ("Fix", "`a` b"),
    ],
)
def test_a_word_that_an_extension_does_not_know_refuses_the_row_rather_than_guess(column: str, word: str) -> None:
    document = gates(f"| a | `true` | {word} |\n", f"| ID | Check | {column} |\n|--|--|--|\n")
    assert document.goals == () and refused(document) == [9]


def test_pipes_in_a_check_are_whole_commands_however_they_are_written() -> None:
    document = gates("| a | `printf x \\| cat` | 4 | d |\n| b | `printf x | cat` | 4 | d |\n| c | printf x \\| cat | 4 | d |\n")
    assert set(checks(document).values()) == {"printf x | cat"} and document.problems == ()


def test_a_span_over_several_cells_does_not_become_a_command() -> None:
    assert refused(gates("| a | `make test | 5 | half ` |\n")) == [9]


def test_an_unknown_column_is_said_with_what_was_probably_meant() -> None:
    document = gates("| a | `true` | 9 |\n", "| ID | Check | Timout |\n|--|--|--|\n")
    assert document.goals[0].timeout is None
    assert document.problems == (Problem(7, "column `timout` is not known and is ignored; did you mean `timeout`?", False),)


def test_a_changelog_under_gates_is_not_run() -> None:
    document = gates("| 2026 | added a step | me |\n", "| Date | Change | Who |\n|--|--|--|\n")
    assert document.goals == () and refused(document) == [9]
    document = gates("| 2026 | added a step |\n", "| Date | Change |\n|--|--|\n")
    assert document.goals == () and refused(document) == [9]


def test_rows_after_a_refused_table_are_not_read_under_an_older_header() -> None:
    document = gates("| a | `true` | 5 | d |\n\n| ID | ID | Check |\n|--|--|--|\n| b | c | `true` |\n\n| d | `true` | 5 | d |\n")
    assert checks(document) == {"a": "true"} and refused(document) == [11, 15]


def test_a_column_named_twice_is_not_guessed() -> None:
    document = gates("| a | `true` | `false` |\n", "| ID | Check | Check |\n|--|--|--|\n")
    assert document.goals == () and refused(document) == [7]


def test_a_table_without_a_header_is_said_and_not_run() -> None:
    document = gates("| a | `true` | 5 | d |\n| b | `true` | 5 | d |\n", header="")
    assert document.goals == () and refused(document) == [7]


def test_two_tables_in_the_section_keep_their_own_columns_and_a_gap_keeps_the_first() -> None:
    document = gates("| a | `one` | 2 | d |\n\nprose\n\n| b | `two` | 3 | d |\n\n| Check | ID |\n|--|--|\n| `three` | c |\n")
    assert checks(document) == {"a": "one", "b": "two", "c": "three"} and document.problems == ()


def test_the_second_goal_of_a_name_is_refused_with_both_lines() -> None:
    document = gates("| a | `one` | 5 | d |\n| a | `two` | 5 | d |\n")
    assert checks(document) == {"a": "one"}
    assert document.problems == (Problem(10, "goal `a` is there already, on line 9; this row is not read", True),)


@pytest.mark.parametrize(
    "hidden", ["```\n{}\n```\n", "~~~sh\n{}\n~~~\n", "<!-- off:\n{}\n-->\n", "<!-- {} -->\n", "````\n```\n{}\n```\n````\n"]
)
def test_a_row_that_is_only_shown_or_commented_out_is_not_run(hidden: str) -> None:
    document = gates(hidden.format("| a | `touch /tmp/never` | 5 | d |") + "| b | `true` | 5 | d |\n")
    assert checks(document) == {"b": "true"} and document.problems == ()


@pytest.mark.parametrize("opening", ["```", "<!-- for now"])
def test_what_an_open_fence_or_comment_swallows_is_said(opening: str) -> None:
    document = gates(f"| a | `true` | 5 | d |\n{opening}\n| b | `true` | 5 | d |\n")
    assert checks(document) == {"a": "true"} and refused(document) == [10]


def test_a_heading_in_a_fence_does_not_end_the_section() -> None:
    assert checks(gates("```sh\n## not a heading\n```\n| a | `true` | 5 | d |\n")) == {"a": "true"}


def test_windows_text_is_read() -> None:
    raw = b"\xef\xbb\xbf" + f"# Goals\n\nm\n\n## Gates\n\n{HEADER}| a | `true` | 2 | d |\n".replace("\n", "\r\n").encode()
    document = parse(raw)
    assert (document.mission, document.goals[0].weight, document.goals[0].line, document.problems) == ("m", 2, 9, ())
    assert document.raw == raw and document.goals[0].description == "d"


def test_the_bullet_form_of_the_set_up_page_is_recognised_and_said() -> None:
    document = parse(b"# Goals\n\nm\n\n## tests-pass\n\n- **Check:** `make test`\n- **Weight:** 8\n")
    assert document.goals == () and refused(document) == [5] and "tests-pass" in document.problems[0].text


def test_a_file_without_gates_has_no_goals_and_says_so_without_refusing() -> None:
    document = parse(b"# Goals\n\nmission only\n")
    assert document.goals == () and [problem.fatal for problem in document.problems] == [False]
    assert [problem.fatal for problem in gates("").problems] == [False]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "empty"),
        (b" \n\t\r\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"# G\n\nabc\0d\n", ":3:4: a NUL byte"),
        ("# G\n\nžlu".encode() + b"\xff\n", ":3:4: not UTF-8"),
        (b"\xef\xbb\xbfab\xff", ":1:3: not UTF-8"),
        ("# Goals\n".encode("utf-16"), ":1:"),
    ],
    ids=["empty", "blank", "bom-only", "nul", "latin", "after-bom", "utf-16"],
)
def test_a_file_that_is_no_text_is_refused_with_its_place(raw: bytes, said: str) -> None:
    with pytest.raises(UnusableFile) as refusal:
        parse(raw, "GOALS.md")
    assert said in str(refusal.value) and refusal.value.exit_code is ExitCode.USAGE and refusal.value.mend


def test_a_file_that_cannot_be_read_or_is_none_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    pipe = tmp_path / "GOALS.md"
    os.mkfifo(pipe)
    for path in (str(pipe), str(tmp_path / "missing.md"), str(tmp_path), "/dev/zero"):
        with pytest.raises(UnusableFile):
            load(path)
    big = tmp_path / "big.md"
    big.write_bytes(b"x" * (5 << 20))
    with pytest.raises(UnusableFile, match="4 MiB"):
        load(str(big))


def test_the_nearest_goals_file_wins_and_the_search_ends_at_the_top(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "sub" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "GOALS.md").write_text("outside")
    top = str(tmp_path / "repo")
    assert find_goals_file(str(deep), top) is None
    (tmp_path / "repo" / "goals").mkdir()
    (tmp_path / "repo" / "goals" / "GOALS.md").write_text("x")
    assert find_goals_file(str(deep), top) == f"{top}/goals/GOALS.md"
    (tmp_path / "repo" / "GOALS.md").write_text("x")
    assert find_goals_file(str(deep), top) == f"{top}/GOALS.md"
    (tmp_path / "repo" / "sub" / "GOALS.md").symlink_to("nowhere")
    assert find_goals_file(str(deep), top) == f"{top}/sub/GOALS.md"
    assert find_goals_file(str(deep), None) is None


def test_a_yaml_alone_is_found_and_beside_a_markdown_it_is_not(tmp_path: Path) -> None:
    folder = os.path.realpath(tmp_path)
    (tmp_path / "goals").mkdir()
    (tmp_path / "goals" / "GOALS.md").write_text("x")
    (tmp_path / "GOALS.yaml").write_text("version: 3\n")
    assert find_goals_file(folder, folder) == f"{folder}/GOALS.yaml"
    (tmp_path / "GOALS.md").write_text("x")
    assert find_goals_file(folder, folder) == f"{folder}/GOALS.md"


@pytest.mark.parametrize(
    "line",
    [
        "# " + " \t" * 500_000 + "x",
        "## #" + " #" * 500_000,
        "| a | " + "`x` ``y" * 200_000,
        "| " * 500_000,
        "|" + "`" * 900_000,
        "| {" * 300_000,
    ],
    ids=["blank-heading", "hashes", "ticks", "cells", "one-run", "braces"],
)
@pytest.mark.timeout(30)
def test_a_line_of_a_megabyte_does_not_hold_up_the_loop(line: str) -> None:
    assert gates(f"| b | `true` | 5 | d |\n{line}\n").of("b") is not None


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("## Gates ##", True),
        ("  ## gates", True),
        ("##\tGates", True),
        ("## Gates#", False),
        ("##Gates", False),
        ("### Gates", False),
        ("    ## Gates", False),
    ],
)
def test_what_is_a_heading(heading: str, read: bool) -> None:
    assert bool(parse(f"# G\n\n{heading}\n\n{HEADER}| a | `true` | 5 | d |\n".encode()).goals) is read


def test_the_search_stays_in_a_repository_that_is_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text("outside")
    (tmp_path / "real" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    assert find_goals_file(str(tmp_path / "link" / "sub"), str(tmp_path / "real")) is None


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_no_bytes_whatever_do_anything_but_load_or_be_refused(raw: bytes) -> None:
    try:
        parse(raw)
    except UnusableFile as refusal:
        assert str(refusal)


PIECES = st.lists(
    st.sampled_from(["|", "\\", "`", "``", " ", "a", "rm -rf x", "-", "5", "\\|", "\\`", "<!--", "```"]), max_size=14
).map("".join)


@given(PIECES)
@settings(max_examples=500, deadline=None)
def test_what_runs_is_a_whole_code_span_or_a_whole_cell_without_backticks(row: str) -> None:
    for goal in gates(f"| a |{row}\n").goals:
        span = re.match(r"\s*(`+)(?!`)(.*?)(?<!`)\1(?!`)\s*(?:\||$)", row)
        bare = re.match(r"((?:\\\||[^|`])*)(?:\||$)", row)
        whole = {found.replace("\\|", "|").strip() for found in (span and span[2], bare and bare[1]) if found}
        assert goal.check in whole


ONE_LINE = (
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=20).map(str.strip).filter(bool)
)
PATH = st.text(st.sampled_from("abc/*.{,}|`\\ -é"), min_size=1, max_size=10).map(str.strip).filter(bool)
GOALS = st.lists(
    st.builds(
        Goal,
        id=st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,3}){0,2}", fullmatch=True),
        check=ONE_LINE | st.text(st.sampled_from("ab`|\\ "), min_size=1, max_size=12).map(str.strip).filter(bool),
        description=ONE_LINE | st.text(st.sampled_from("ab`|\\ "), min_size=1, max_size=12).map(str.strip).filter(bool),
        weight=st.integers(1, 10),
        fix=st.none() | ONE_LINE,
        inputs=st.lists(PATH, max_size=3).map(tuple),
        volatile=st.booleans(),
        exclusive=st.booleans(),
        timeout=st.none() | st.integers(1, 10**6).map(float) | st.sampled_from([0.5, 1.25]),
        metric=st.sampled_from([None, "higher", "lower"]),
        optimize=st.lists(PATH, max_size=3).map(tuple),
        network=st.booleans(),
    ),
    max_size=5,
    unique_by=lambda goal: goal.id,
)


@given(GOALS, ONE_LINE.filter(lambda text: not text.startswith(("#", "`", "~", "<"))))
@settings(max_examples=300, deadline=None)
def test_what_is_rendered_is_read_back(goals: list[Goal], mission: str) -> None:
    document = parse(render(mission, goals).encode())
    assert [Goal(**{**{name: getattr(goal, name) for name in Goal.__slots__}, "line": 0}) for goal in document.goals] == goals
    assert document.mission == mission
    assert not any(problem.fatal for problem in document.problems)


@given(st.lists(st.text(st.sampled_from("ab`|\\ "), min_size=1, max_size=8).map(str.strip).filter(bool), min_size=1, max_size=4))
def test_cells_come_back_as_code_and_as_prose(texts: list[str]) -> None:
    row = split(f"| {' | '.join(map(as_code, texts))} |")
    assert [cell.code for cell in row.cells] == [(text,) for text in texts] and row.closed
    row = split(f"| {' | '.join(map(as_prose, texts))} |")
    assert [cell.text for cell in row.cells] == texts
