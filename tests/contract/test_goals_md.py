"""GOALS.md as upstream's command reads and measures it, case by case; and where we differ, on purpose.

`HELD` are recorded outcomes that ours must equal. `DIFFERENT` are recorded outcomes that ours must not have: each is a
defect there, and each is explained in docs/compatibility.md.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentops.core.errors import UnusableFile
from agentops.goals.document import find_goals_file, load
from agentops.goals.folder import Folder
from agentops.goals.measure import measure
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.records import fitness_file

CLOCK = SystemClock()
HOST = Launcher(CLOCK)
TOP = "# Goals\n\nKeep the toy project healthy.\n\n"
TABLE = "| ID | Check | Weight | Description |\n|----|-------|--------|-------------|\n"
COMPATIBILITY = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"


@dataclass(frozen=True, slots=True)
class Found:
    """What a measurement says of one goal: `result`, `weight`, and `output` where it is held (None: any)."""

    result: str
    weight: int
    output: str | None = ""


@dataclass(frozen=True, slots=True)
class Case:
    """`refused`: numbers of lines that are reported as not read. `warned`: some problem says this."""

    name: str
    text: str
    goals: dict[str, Found]
    score: float
    env: dict[str, str] = field(default_factory=dict)
    refused: tuple[int, ...] = ()
    warned: str = ""
    timeout: float = 30.0


def gates(rows: str, header: str = TABLE) -> str:
    return f"{TOP}## Gates\n\n{header}{rows}"


HELD = [
    Case(
        "md-001 a plain file",
        f"{TOP}## North Stars\n\n- stay green\n* star two\n\n"
        "## Directives\n\n### 1. Grow the tests\n\nAdd cases.\n\n**Steer:** increase\n\n"
        f"## Gates\n\n{TABLE}| a-pass | `true` | 3 | desc |\n"
        "| b-fail | `exit 3` | 7 | desc |\n| c-out | `printf 'hello out\\n'` | 1 | desc |\n",
        {"a-pass": Found("pass", 3), "b-fail": Found("fail", 7), "c-out": Found("pass", 1, "hello out")},
        36.36363636363637,
    ),
    Case(
        "md-002 escaped pipes",
        gates(
            "| esc | `printf 'x\\ny\\n' \\| grep -c y` | 5 | desc |\n| or | `false \\|\\| printf ok` | 5 | desc |\n"
            "| dbl | `printf '%s' 'a\\\\|b'` | 5 | desc |\n"
        ),
        {"esc": Found("pass", 5, "1"), "or": Found("pass", 5, "ok"), "dbl": Found("pass", 5, "a\\|b")},
        100,
    ),
    Case(
        "md-005 no description column",
        gates("| w | `true` | 8 |\n", "| ID | Check | Weight |\n|---|---|---|\n"),
        {"w": Found("pass", 8)},
        100,
    ),
    Case(
        "md-008 weight zero is five",
        gates("| z | `true` | 0 | desc |\n| ok | `false` | 1 | desc |\n"),
        {"z": Found("pass", 5), "ok": Found("fail", 1)},
        83.33333333333334,
        warned="the weight `0`",
    ),
    Case(
        "md-009 weights out of range are five",
        gates("| e | `true` | 11 | desc |\n| n | `true` | -2 | desc |\n| ten | `true` | 10 | desc |\n"),
        {"e": Found("pass", 5), "n": Found("pass", 5), "ten": Found("pass", 10)},
        100,
    ),
    Case("md-012 no gates section", f"{TOP}## Directives\n\n### 1. Grow the tests\n", {}, 0, warned="no `## Gates` section"),
    Case(
        "md-015 windows line ends",
        gates("| a | `printf crlf` | 3 | desc |\n| b | `false` | 2 | desc |\n").replace("\n", "\r\n"),
        {"a": Found("pass", 3, "crlf"), "b": Found("fail", 2)},
        60,
    ),
    Case(
        "md-018 headings in any case, no blank lines",
        "# goals\nm\n## DIRECTIVES\n### 4. Upper\nbody\n## gAtEs  \n"
        "| id | CHECK | weight | Description |\n|-|-|-|-|\n| a | `true` | 2 | d |\n",
        {"a": Found("pass", 2)},
        100,
    ),
    Case(
        "md-019 only the first gates section",
        gates("| first | `true` | 5 | desc |\n") + f"\n## Other\n\n## Gates\n\n{TABLE}| second | `true` | 5 | desc |\n",
        {"first": Found("pass", 5)},
        100,
        refused=(13,),
    ),
    Case(
        "md-032 alignment and columns of others",
        gates(
            "| a | `true` | 2 | d | owner | more |\n",
            "| ID | Check | Weight | Description | Owner | X |\n|:---|:---:|---:|---|---|---|\n",
        ),
        {"a": Found("pass", 2)},
        100,
        warned="column `owner`",
    ),
    Case("md-033 no mission", f"# Goals\n\n## Gates\n\n{TABLE}| a | `true` | 5 | d |\n", {"a": Found("pass", 5)}, 100),
    Case(
        "md-036 unicode",
        gates("| u | `printf 'žluť 🚀'` | 4 | popis č. 1 🚀 |\n"),
        {"u": Found("pass", 4, "žluť 🚀")},
        100,
    ),
    Case(
        "md-041 a time-out is a skip",
        gates("| slow | `sleep 5` | 9 | desc |\n| ok | `true` | 1 | desc |\n| bad | `false` | 1 | desc |\n"),
        {"slow": Found("skip", 9, None), "ok": Found("pass", 1), "bad": Found("fail", 1)},
        50,
        timeout=1.0,
    ),
    Case(
        "md-044 nothing is sourced",
        gates("| env | `printf '%s' \"[${BASH_ENV-unset}][${ENV-unset}][${KEEP-unset}]\"` | 2 | desc |\n"),
        {"env": Found("pass", 2, "[unset][unset][1]")},
        100,
        env={"BASH_ENV": "poison.sh", "ENV": "poison.sh", "KEEP": "1"},
    ),
    Case(
        "md-045 header words of others keep their places",
        gates("| a | `true` | 2 | d |\n", "| Gate ID | Command | Weight (1-10) | Notes |\n|--|--|--|--|\n"),
        {"a": Found("pass", 2)},
        100,
        warned="by its place it is read as `check`",
    ),
    Case(
        "md-048 nothing to read",
        gates("| rd | `read -r x; echo \"rc=$? x=[$x]\"` | 3 | desc |\n| cat | `cat \\| wc -c \\| tr -d ' '` | 3 | desc |\n"),
        {"rd": Found("pass", 3, "rc=1 x=[]"), "cat": Found("pass", 3, "0")},
        100,
    ),
]

DIFFERENT = [
    Case(
        "md-003 a raw pipe within backticks",
        gates("| raw | `printf x | cat` | 4 | piped |\n| after | `true` | 5 | desc |\n"),
        {"raw": Found("pass", 4, "x"), "after": Found("pass", 5)},
        100,
    ),
    Case(
        "md-004 no weight column",
        gates("| w | `true` | about w |\n| x | `false` | 9 |\n", "| ID | Check | Description |\n|---|---|---|\n"),
        {"w": Found("pass", 5), "x": Found("fail", 5)},
        50,
    ),
    Case(
        "md-026 no pipe at the end of a row",
        gates("| a | `true` | 2 | no end pipe\n| b | `true` | 5 | desc |\n"),
        {"a": Found("pass", 2), "b": Found("pass", 5)},
        100,
    ),
    Case(
        "md-029 an id that is not kebab-case",
        gates(
            "| Upper_Case | `true` | 5 | d |\n| ok-1 | `true` | 5 | d |\n| trail- | `true` | 5 | d |\n| a b | `true` | 5 | d |\n"
        ),
        {"ok-1": Found("pass", 5)},
        100,
        refused=(9, 11, 12),
    ),
    Case(
        "md-031 backticks within backticks, and text beside them",
        gates("| a | ``printf '%s' '`'`` | 2 | d |\n| b | printf bare | 2 | d |\n| c | `printf x` trailing | 2 | d |\n"),
        {"a": Found("pass", 2, "`"), "b": Found("pass", 2, "bare")},
        100,
        refused=(11,),
    ),
    Case(
        "md-035 a script that is not there",
        gates("| s | `scripts/nope.sh --x` | 3 | desc |\n| t | `bash scripts/nope2.sh` | 3 | desc |\n"),
        {"s": Found("fail", 3, "bash: line 1: scripts/nope.sh: No such file or directory"), "t": Found("fail", 3, None)},
        0,
    ),
    Case(
        "md-039 rows in a code fence",
        gates("```\n| a | `true` | 2 | in fence |\n```\n| b | `true` | 5 | desc |\n"),
        {"b": Found("pass", 5)},
        100,
    ),
    Case(
        "md-046 short rows",
        gates("| a |\n| b | `true` |\n| c | `true` | 3 |\n"),
        {"b": Found("pass", 5), "c": Found("pass", 3)},
        100,
        refused=(9,),
    ),
]


@pytest.mark.parametrize("case", [*HELD, *DIFFERENT], ids=lambda case: case.name)
def test_a_file_is_measured_as_recorded(tmp_path: Path, case: Case) -> None:
    (tmp_path / "GOALS.md").write_bytes(case.text.encode())
    (tmp_path / "poison.sh").write_text("exit 1\n")
    document = load(str(tmp_path / "GOALS.md"))
    env = {**os.environ, "LC_ALL": "C.UTF-8", **case.env}
    fitness = measure(document, Folder(str(tmp_path), env), HOST, StopScope(CLOCK), per_goal=case.timeout, whole=None)
    assert fitness is not None
    found = json.loads(fitness_file.encode(fitness))
    assert [goal["goal_id"] for goal in found["goals"]] == list(case.goals)
    for goal in found["goals"]:
        expected = case.goals[goal["goal_id"]]
        assert (goal["result"], goal["weight"]) == (expected.result, expected.weight), goal
        assert expected.output is None or goal.get("output", "") == expected.output
    assert found["summary"]["score"] == case.score, "to the last digit"
    assert tuple(problem.line for problem in document.problems if problem.fatal) == case.refused
    assert not case.warned or any(case.warned in problem.text for problem in document.problems)


def test_a_missing_script_is_a_broken_gate_and_one_that_bash_names_is_too(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(next(case.text for case in DIFFERENT if "md-035" in case.name))
    fitness = measure(load(str(tmp_path / "GOALS.md")), Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK))
    assert fitness is not None and [goal.broken for goal in fitness.goals] == [True, True]


@pytest.mark.parametrize("text", ["", " \n\t\n\r\n"], ids=["md-013 empty", "md-014 blank"])
def test_an_empty_file_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "GOALS.md").write_text(text)
    with pytest.raises(UnusableFile, match="is empty"):
        load(str(tmp_path / "GOALS.md"))


def test_md_028_a_nul_byte_refuses_the_file_and_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| nul | `printf a\0b` | 2 | d |\n| ok | `true` | 2 | d |\n"))
    with pytest.raises(UnusableFile, match=r"GOALS\.md:9:18: a NUL byte"):
        load(str(tmp_path / "GOALS.md"))


def test_md_050_the_name_is_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "goals.md").write_text(gates("| a | `true` | 5 | d |\n"))
    if (tmp_path / "GOALS.md").exists():
        pytest.skip("this file system does not tell capitals apart")
    assert find_goals_file(str(tmp_path), None) is None


@pytest.mark.parametrize("case", DIFFERENT, ids=lambda case: case.name)
def test_a_difference_is_explained_to_people(case: Case) -> None:
    assert case.name.split()[0] in COMPATIBILITY.read_text()
