"""`ao goals validate|drift|history|export|prune|measure --directives` as upstream's command answers, case by case.

`expected` are recorded answers; where ours differs on purpose, the test says how, and docs/compatibility.md why.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentops.app import comparing, goal_editing, goal_files
from agentops.app.measuring import measure
from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.goals.checks import Watch
from agentops.goals.document import parse
from agentops.goals.drift import Delta, compare
from agentops.records import goal_history, snapshots
from agentops.views import goals as view

TOP = "# Goals\n\nKeep the toy project healthy.\n\n"
TABLE = "| ID | Check | Weight | Description |\n|----|-------|--------|-------------|\n"
ALIGNED = "| ID | Check | Weight | Description | Owner | X |\n|:---|:---:|---:|---|---|---|\n"
GROW = "## Directives\n\n### 1. Grow the tests\n\nAdd cases.\nMore of them.\n\n**Steer:** increase\n\n"
NONE = ["no directives defined"]
NOTES: list[str] = []


def gates(rows: str, header: str = TABLE) -> str:
    return f"{TOP}## Gates\n\n{header}{rows}"


# Text, then how many goals and directives there are, and the warnings.
VALID: dict[str, tuple[str, int, int, list[str]]] = {
    "md-001": (f"{TOP}{GROW}## Gates\n\n{TABLE}| a | `true` | 3 | d |\n| b | `exit 3` | 7 | d |\n", 2, 1, []),
    "md-002": (gates("| esc | `printf 'x\\ny\\n' \\| grep -c y` | 5 | d |\n"), 1, 0, NONE),
    "md-005": (gates("| w | `true` | 8 |\n", "| ID | Check | Weight |\n|---|---|---|\n"), 1, 0, NONE),
    "md-008": (gates("| z | `true` | 0 | d |\n"), 1, 0, NONE),
    "md-009": (gates("| e | `true` | 11 | d |\n| n | `true` | -2 | d |\n"), 2, 0, NONE),
    "md-012": (f"{TOP}{GROW}", 0, 1, []),
    "md-015": (f"{TOP}{GROW}## Gates\n\n{TABLE}| a | `printf crlf` | 3 | d |\n".replace("\n", "\r\n"), 1, 1, []),
    "md-018": (
        "# goals\nm\n## DIRECTIVES\n### 4. Upper\nbody\n**Steer:** hold\n## gAtEs  \n"
        "| id | CHECK | weight | Description |\n|-|-|-|-|\n| a | `true` | 2 | d |\n",
        1,
        1,
        [],
    ),
    "md-032": (gates("| a | `true` | 2 | d | o | m |\n", ALIGNED), 1, 0, NONE),
    "md-033": (f"# Goals\n\n## Gates\n\n{TABLE}| a | `true` | 5 | d |\n", 1, 0, ["empty mission", *NONE]),
    "md-036": (gates("| u | `printf 'žluť 🚀'` | 4 | popis č. 1 🚀 |\n"), 1, 0, NONE),
    "md-045": (gates("| a | `true` | 2 | d |\n", "| Gate ID | Command | Weight (1-10) | Notes |\n|--|--|--|--|\n"), 1, 0, NONE),
}
DIRECTIVES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "md-001": (GROW, [{"number": 1, "title": "Grow the tests", "description": "Add cases.\nMore of them.", "steer": "increase"}]),
    "md-018": (
        "## DIRECTIVES\n### 4. Upper\nbody\n**Steer:** hold\n",
        [{"number": 4, "title": "Upper", "description": "body", "steer": "hold"}],
    ),
    "md-020": (
        "## Directives\n\n### No number here\n\nlost text\n\n### 2. Numbered\n\nkept\n\n**Steer:** decrease\n\n"
        "### Also unnumbered\n\nswallowed into 2\n\n",
        [
            {
                "number": 2,
                "title": "Numbered",
                "description": "kept\n\n\n### Also unnumbered\n\nswallowed into 2",
                "steer": "decrease",
            }
        ],
    ),
    "md-021": (
        "## Directives\n\n### 7. Seven\n\n**Steer:** hold\n\n### 7. Seven again\n\n### 2. Two\n\n### 0012. Padded\n\n",
        [
            {"number": 7, "title": "Seven", "description": "", "steer": "hold"},
            {"number": 7, "title": "Seven again", "description": "", "steer": ""},
            {"number": 2, "title": "Two", "description": "", "steer": ""},
            {"number": 12, "title": "Padded", "description": "", "steer": ""},
        ],
    ),
}


@pytest.mark.parametrize("name", VALID)
def test_validate_answers_as_recorded(tmp_path: Path, name: str) -> None:
    text, goals, directives, warnings = VALID[name]
    (tmp_path / "GOALS.md").write_bytes(text.encode())
    found = view.validation_json(goal_files.validated(str(tmp_path), os.environ, None))
    said = found.pop("warnings", [])
    assert found == {"valid": True, "goal_count": goals, "version": 4, "format": "md", "directives": directives}
    assert isinstance(said, list) and said[: len(warnings)] == warnings, "ours come after those that were recorded"


@pytest.mark.parametrize("name", DIRECTIVES)
def test_directives_are_listed_as_recorded(name: str) -> None:
    text, expected = DIRECTIVES[name]
    assert view.directives_json(parse(f"{TOP}{text}## Gates\n".encode()).directives) == expected


def test_md_021_missing_steers_are_said(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(f"{TOP}{DIRECTIVES['md-021'][0]}## Gates\n\n{TABLE}| a | `true` | 5 | d |\n")
    warnings = goal_files.validated(str(tmp_path), os.environ, None).warnings
    assert list(warnings) == [
        'directive 7 "Seven again": missing steer',
        'directive 2 "Two": missing steer',
        'directive 12 "Padded": missing steer',
    ]


def test_md_015_a_body_has_line_breaks_of_one_kind() -> None:
    found = parse(f"{TOP}{GROW}".replace("\n", "\r\n").encode()).directives
    assert found[0].description == "Add cases.\nMore of them."


def test_md_023_a_heading_in_a_fence_ends_nothing() -> None:
    body = "### 1. One\n\n```sh\n## not a heading\necho hi\n```\n\n**Steer:** increase\n\n### 2. Two\n\nx\n"
    found = view.directives_json(parse(f"{TOP}## Directives\n\n{body}\n## Gates\n".encode()).directives)
    assert [(one["number"], one["steer"]) for one in found] == [(1, "increase"), (2, "")]
    assert found[0]["description"] == "```sh\n## not a heading\necho hi\n```"


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("md-013", "", "load: "),
        ("md-014", " \n\t\n\r\n", "load: "),
        ("md-019", gates("| a | `true` | 5 | d |\n") + "\n## Gates\n", "line 11: a second `## Gates` section is not read"),
        ("md-029", gates("| Upper_Case | `true` | 5 | d |\n"), "line 9: the ID `Upper_Case` is not kebab-case"),
        ("md-035", gates("| s | `scripts/nope.sh --x` | 3 | d |\n"), "goal s: script scripts/nope.sh does not exist"),
        ("md-046", gates("| a |\n"), "line 9: the Check is missing"),
    ],
)
def test_validate_says_what_makes_a_file_invalid(tmp_path: Path, name: str, text: str, error: str) -> None:
    (tmp_path / "GOALS.md").write_text(text)
    found = goal_files.validated(str(tmp_path), os.environ, None)
    assert not found.valid
    assert found.errors[0].startswith(error), found.errors


def test_md_035_scripts_that_no_goal_runs_are_said(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| t | `bash scripts/nope2.sh` | 3 | d |\n"))
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "check-lonely.sh").write_text("exit 0\n")
    found = goal_files.validated(str(tmp_path), os.environ, None)
    assert found.valid
    assert "script check-lonely.sh not wired to any goal" in found.warnings
    assert "goal t: names scripts/nope2.sh, which does not exist" in found.warnings


def test_md_050_a_file_in_small_letters_is_none(tmp_path: Path) -> None:
    (tmp_path / "goals.md").write_text(gates("| a | `true` | 5 | d |\n"))
    if (tmp_path / "GOALS.md").exists():
        pytest.skip("this file system does not tell capitals apart")
    found = view.validation_json(goal_files.validated(str(tmp_path), os.environ, None))
    assert (found["valid"], found["goal_count"], found["version"], found["format"]) == (False, 0, 0, "")


def drift(folder: Path, timeout: float = 30.0, against: str = "last") -> Any:
    NOTES.clear()
    found = comparing.drift(
        str(folder), os.environ, file=None, timeout=timeout, against=against, watch=Watch(), on_problem=NOTES.append
    )
    return view.drift_json(found.moved) if found.before is not None else None


def baseline(folder: Path, *goals: dict[str, Any], name: str = "2026-01-01T00-00-00.000.json") -> None:
    where = folder / snapshots.MEASURED
    where.mkdir(parents=True, exist_ok=True)
    plain = {"timestamp": "2026-01-01T00:00:00Z", "git_sha": "abc1234", "goals": list(goals), "summary": {}}
    (where / name).write_text(json.dumps(plain))


def test_drift_003_the_value_delta(tmp_path: Path) -> None:
    (tmp_path / "GOALS.yaml").write_text(
        "version: 3\ngoals:\n  - {id: num, description: d, check: 'echo 12.5', weight: 1, continuous: {metric: c, threshold: 8}}"
    )
    baseline(tmp_path, {"goal_id": "num", "result": "pass", "duration_s": 0.1, "weight": 1, "value": 10.0})
    expected = {"goal_id": "num", "before": "pass", "after": "pass", "delta": "unchanged", "value_delta": 2.5, "weight": 1}
    assert drift(tmp_path) == [expected]


def test_drift_004_a_torn_baseline_is_said_and_an_older_one_is_taken(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| a | `true` | 5 | d |\n"))
    baseline(tmp_path, name="2026-01-02T00-00-00.000.json")
    torn = tmp_path / snapshots.MEASURED / "2026-01-02T00-00-00.000.json"
    torn.write_text('{"goals": [tru')
    assert drift(tmp_path) is None
    assert [str(torn) in note for note in NOTES] == [True]
    torn.replace(torn.with_name("2099-01-01T00-00-00.000.json"))
    found = drift(tmp_path)
    assert [one["delta"] for one in found] == ["unchanged"], "the measurement that was kept before is older, and readable"


def test_drift_006_a_goal_that_gave_an_answer_and_gives_none_is_not_unchanged(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| a | `sleep 30` | 3 | d |\n"))
    baseline(tmp_path, {"goal_id": "a", "result": "pass", "weight": 5})
    assert drift(tmp_path, timeout=0.2) == [
        {"goal_id": "a", "before": "pass", "after": "skip", "delta": "unmeasured", "weight": 3}
    ]


def test_drift_007_a_file_of_another_name_is_no_snapshot(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| a | `true` | 3 | d |\n"))
    baseline(tmp_path, {"goal_id": "a", "result": "fail", "weight": 5}, name="zzz.json")
    baseline(tmp_path, {"goal_id": "a", "result": "pass", "weight": 5})
    assert [one["before"] for one in drift(tmp_path)] == ["pass"]


def test_drift_008_a_measurement_is_what_the_next_drift_is_told_from(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| flip | `test -f f` | 3 | d |\n"))
    measure(str(tmp_path), os.environ, goal=None, timeout=30.0, total_timeout=None, file=None)
    (tmp_path / "f").touch()
    assert drift(tmp_path) == [{"goal_id": "flip", "before": "fail", "after": "pass", "delta": "improved", "weight": 3}]
    assert [one["delta"] for one in drift(tmp_path)] == ["unchanged"]


def result(goal_id: str, outcome: str, weight: int = 5, *, broken: bool = False) -> GoalResult:
    return GoalResult(goal_id, GoalOutcome(outcome), weight, 0.0, broken=broken)


@pytest.mark.parametrize(
    ("before", "after", "delta"),
    [
        ("pass", "fail", Delta.REGRESSED),
        ("new", "fail", Delta.REGRESSED),
        ("pass", "removed", Delta.REGRESSED),
        ("pass", "skip", Delta.UNMEASURED),
        ("fail", "skip", Delta.UNMEASURED),
        ("pass", "broken", Delta.UNMEASURED),
        ("fail", "pass", Delta.IMPROVED),
        ("broken", "pass", Delta.IMPROVED),
        ("new", "pass", Delta.UNCHANGED),
        ("fail", "removed", Delta.UNCHANGED),
        ("skip", "skip", Delta.UNCHANGED),
        ("skip", "fail", Delta.UNCHANGED),
        ("fail", "fail", Delta.UNCHANGED),
    ],
)
def test_drift_002_what_moved(before: str, after: str, delta: Delta) -> None:
    def measured(word: str) -> Fitness:
        if word in ("new", "removed"):
            return Fitness("", "")
        broken = word == "broken"
        return Fitness("", "", (result("a", "fail" if broken else word, broken=broken),))

    assert [(one.before, one.after, one.delta) for one in compare(measured(before), measured(after))] == [(before, after, delta)]


def test_regressions_come_first_and_the_heaviest_of_them() -> None:
    before = Fitness("", "", tuple(result(one, "pass") for one in "abcd"))
    after = Fitness("", "", (result("a", "pass"), result("b", "fail", 1), result("c", "fail", 9), result("d", "skip")))
    assert [one.goal_id for one in compare(before, after)] == ["c", "b", "d", "a"]


def test_snapshots_of_another_goals_file_are_not_compared_with(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(gates("| gone | `true` | 3 | d |\n"))
    (tmp_path / "GOALS.md").write_text(gates("| a | `true` | 3 | d |\n"))
    measure(str(tmp_path), os.environ, goal=None, timeout=30.0, total_timeout=None, file=None)
    measure(str(tmp_path), os.environ, goal=None, timeout=30.0, total_timeout=None, file="other.md")
    assert [one["goal_id"] for one in drift(tmp_path)] == ["a"]


def test_a_measurement_of_one_goal_or_within_a_cycle_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| a | `true` | 3 | d |\n| b | `true` | 3 | d |\n"))
    measure(str(tmp_path), os.environ, goal="a", timeout=30.0, total_timeout=None, file=None)
    measure(str(tmp_path), {**os.environ, "AO_RUN_ID": "x.1"}, goal=None, timeout=30.0, total_timeout=None, file=None)
    assert not (tmp_path / ".agents").exists()


def test_hist_002_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / goal_history.HISTORY
    path.parent.mkdir(parents=True)
    row = '{"timestamp":"2026-01-01T00:00:00Z","goals_passing":1,"goals_total":2,"score":50,"snapshot_path":"x","git_sha":"abc"}'
    path.write_text(f'{row}\n{{"timestamp":"2026-02-0')
    found = comparing.history(str(tmp_path), os.environ, goal=None, since=None)
    assert (view.history_json(found), found.bad_lines) == ([json.loads(row)], 1)
    (tmp_path / "GOALS.md").write_text(gates("| a | `true` | 3 | d |\n"))
    measure(str(tmp_path), os.environ, goal=None, timeout=30.0, total_timeout=None, file=None)
    found = comparing.history(str(tmp_path), os.environ, goal=None, since=None)
    assert [(row.goals_passing, row.goals_total) for row in found.rows] == [(1, 2), (1, 1)]
    assert len(comparing.history(str(tmp_path), os.environ, goal="a", since=None).results) == 1


def test_export_001_measures_and_keeps_when_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(gates("| a | `echo x >> ran` | 5 | d |\n"))

    def export() -> Fitness:
        return comparing.export(str(tmp_path), os.environ, file=None, timeout=30.0, watch=Watch(), on_problem=NOTES.append)

    first, second = export(), export()
    assert [goal.outcome for goal in first.goals] == [goal.outcome for goal in second.goals] == [GoalOutcome.PASS]
    assert (tmp_path / "ran").read_text() == "x\n"


def test_yaml_021_prune_lists_what_names_a_file_that_is_gone(tmp_path: Path) -> None:
    gone = "  - {id: gone, description: d, check: scripts/gone.sh, weight: 2}\n"
    text = f"version: 2\ngoals:\n{gone}  - {{id: keep, description: d, check: 'true', weight: 2}}\n"
    (tmp_path / "GOALS.yaml").write_text(text)
    _, stale = goal_editing.prune(str(tmp_path), os.environ, None, dry_run=True)
    assert [(one.goal.id, one.goal.check, one.missing) for one in stale] == [("gone", "scripts/gone.sh", "scripts/gone.sh")]
    assert (tmp_path / "GOALS.yaml").read_text() == text
    goal_editing.prune(str(tmp_path), os.environ, None, dry_run=False)
    assert (tmp_path / "GOALS.yaml").read_text() == text.replace(gone, "")
