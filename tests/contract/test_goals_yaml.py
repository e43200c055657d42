"""GOALS.yaml as upstream's command reads and measures it, case by case; and where we differ, on purpose."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentops.app.goal_files import validated
from agentops.app.goal_making import migrate
from agentops.core.errors import UnusableFile
from agentops.core.fitness import GoalType
from agentops.goals.document import find_goals_file, load, parse
from agentops.goals.folder import Folder
from agentops.goals.measure import measure
from agentops.goals.model import GoalsDocument
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.records import fitness_file

CLOCK = SystemClock()
HOST = Launcher(CLOCK)
COMPATIBILITY = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"
ONE = "goals:\n  - id: a\n    description: d\n    check: printf yes\n    weight: 4\n"


@dataclass(frozen=True, slots=True)
class Case:
    """`goals`: each with its result in the snapshot's order. `invalid`: words that one of the errors has; empty: it is valid."""

    name: str
    text: str
    goals: dict[str, str]
    score: float = 100
    invalid: str = ""
    values: dict[str, tuple[float, float]] = field(default_factory=dict)


HELD = [
    Case(
        "yaml-003 types, meta goals first",
        "version: 3\nmission: m\ngoals:\n"
        "  - {id: q, description: d, check: 'true', weight: 1, type: quality, pillar: p, tags: [x]}\n"
        "  - {id: m1, description: d, check: 'echo meta', weight: 2, type: meta}\n"
        "  - {id: h, description: d, check: 'false', weight: 3, type: health}\n"
        "  - {id: r, description: d, check: 'true', weight: 3, type: architecture}\n",
        {"m1": "pass", "q": "pass", "h": "fail", "r": "pass"},
        66.66666666666666,
    ),
    Case(
        "yaml-020 merge keys, and only the first document",
        "version: 2\nbase: &b {description: d, check: 'true', weight: 2}\ngoals:\n  - {<<: *b, id: a}\n---\nversion: 3\n",
        {"a": "pass"},
    ),
    Case("a version that is old", f"version: 1\n{ONE}", {"a": "pass"}),
]
DIFFERENT = [
    Case(
        "yaml-006 an unknown type",
        f"version: 2\n{ONE}    type: speed\n",
        {"a": "pass"},
        invalid='goal "a" field "type": invalid type "speed"',
    ),
    Case(
        "yaml-007 thresholds decide",
        "version: 3\ngoals:\n"
        "  - {id: num, description: d, check: 'echo 12.5', weight: 1, continuous: {metric: cov, threshold: 80}}\n"
        "  - {id: txt, description: d, check: 'echo n/a', weight: 1, continuous: {metric: cov, threshold: 80}}\n"
        "  - {id: exp, description: d, check: 'echo 1e3', weight: 1, continuous: {metric: cov, threshold: 2}}\n"
        "  - {id: hex, description: d, check: 'echo 0x10', weight: 1, continuous: {metric: cov, threshold: 2}}\n"
        "  - {id: failnum, description: d, check: 'echo 3; exit 1', weight: 1, continuous: {metric: cov, threshold: 2}}\n"
        "  - {id: low, description: d, check: 'echo 3', weight: 1, metric: lower, continuous: {metric: w, threshold: 5}}\n",
        {"num": "fail", "txt": "skip", "exp": "pass", "hex": "skip", "failnum": "fail", "low": "pass"},
        50,
        values={"num": (12.5, 80), "exp": (1000, 2), "failnum": (3, 2), "low": (3, 5)},
    ),
    Case(
        "yaml-008 NaN is no number",
        "version: 3\ngoals:\n"
        "  - {id: nan, description: d, check: 'echo NaN', weight: 1, continuous: {metric: cov, threshold: 80}}\n",
        {"nan": "skip"},
        0,
    ),
    Case(
        "yaml-009 missing fields",
        "version: 2\ngoals:\n  - {description: d, check: 'true', weight: 1}\n  - {id: b}\n  - {id: c, check: 'true'}\n",
        {"c": "pass"},
        invalid='goal "b" field "check": required',
    ),
    Case(
        "yaml-013 a weight in quotes",
        "version: 2\ngoals:\n  - {id: s, description: d, check: 'true', weight: '3'}\n",
        {"s": "pass"},
        invalid='goal "s" field "weight": is text in quotes',
    ),
    Case(
        "yaml-019 weights out of range",
        "version: 2\ngoals:\n  - {id: z, description: d, check: 'true', weight: 0}\n"
        "  - {id: e, description: d, check: 'true', weight: 2.5}\n",
        {"z": "pass", "e": "pass"},
        invalid='goal "z" field "weight": must be 1-10',
    ),
]
REFUSED = [
    ("yaml-005 no version", ONE, r"unsupported version 0 \(expected 1, 2, or 3\)"),
    ("a version of tomorrow", f"version: 4\n{ONE}", "unsupported version 4"),
    ("yaml-011 no YAML", "version: 2\ngoals:\n  - id: a\n   bad: [\n", r"GOALS\.yaml:4:4: "),
    ("yaml-018 a key twice", f"version: 2\nversion: 3\n{ONE}", r"GOALS\.yaml:2: the key `version` is there already, on line 1"),
    ("a key twice in a goal", f"version: 2\n{ONE}    id: b\n", r"GOALS\.yaml:7: the key `id` is there already, on line 3"),
    ("a list", "- a\n", "is a map with"),
    ("goals that are no list", "version: 2\ngoals: {a: b}\n", "`goals` is not a list"),
    ("an alias within itself", "version: 2\ngoals: &g [*g]\n", "nested too deeply|undefined alias"),
    ("brackets without end", "version: 2\ngoals: " + "[" * 5000, "."),
]


def written(folder: Path, text: str, name: str = "GOALS.yaml") -> GoalsDocument:
    (folder / name).write_text(text)
    return load(str(folder / name))


@pytest.mark.parametrize("case", [*HELD, *DIFFERENT], ids=lambda case: case.name)
def test_a_yaml_file_is_read_and_measured(tmp_path: Path, case: Case) -> None:
    document = written(tmp_path, case.text)
    fitness = measure(document, Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK), whole=None)
    assert fitness is not None
    found = json.loads(fitness_file.encode(fitness))
    assert [(goal["goal_id"], goal["result"]) for goal in found["goals"]] == list(case.goals.items())
    assert found["summary"]["score"] == case.score, "to the last digit"
    seen = {goal["goal_id"]: (goal["value"], goal["threshold"]) for goal in found["goals"] if "value" in goal}
    assert seen == case.values
    said = validated(str(tmp_path), os.environ, None)
    assert said.valid is not bool(case.invalid)
    assert not case.invalid or any(case.invalid in error for error in said.errors), said.errors


@pytest.mark.parametrize(("name", "text", "why"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_a_yaml_file_that_cannot_be_read_is_refused_and_nothing_runs(tmp_path: Path, name: str, text: str, why: str) -> None:
    with pytest.raises(UnusableFile, match=why):
        written(tmp_path, text)
    found = validated(str(tmp_path), os.environ, None)
    assert (found.valid, found.goal_count, found.version, found.format) == (False, 0, 0, "")
    assert found.errors[0].startswith("load: ")


def test_yaml_012_markdown_wins_unless_the_yaml_is_named(tmp_path: Path) -> None:
    written(tmp_path, f"version: 2\n{ONE}")
    (tmp_path / "GOALS.md").write_text("# G\n")
    found = find_goals_file(str(tmp_path), None)
    assert found is not None and found.endswith("GOALS.md")
    assert [goal.id for goal in load(str(tmp_path / "GOALS.yaml")).goals] == ["a"]


def test_yaml_016_every_goal_and_what_it_says_survives_the_way_to_markdown(tmp_path: Path) -> None:
    written(
        tmp_path,
        "version: 2\ngoals:\n"
        "  - {id: p, description: 'a | b', check: \"printf 'x|y' | cat\", weight: 2, pillar: core, tags: [x, y]}\n"
        '  - {id: q, description: "multi\\nline", check: "printf a\\nprintf b", weight: 2, pillar: edge, type: quality}\n'
        "  - {id: n, description: d, check: 'echo 7', weight: 1, metric: higher, continuous: {metric: cov, threshold: 5}}\n"
        "  - {id: f, description: d, check: 'test -f x', weight: 1, fix: 'touch x | cat', inputs: [a, 'b c'], timeout: 90s}\n",
    )
    before = (tmp_path / "GOALS.yaml").read_bytes()
    migrate(str(tmp_path), os.environ, None, to_md=True, dry_run=False)
    assert (tmp_path / "GOALS.yaml").read_bytes() == before
    document = load(str(tmp_path / "GOALS.md"))
    assert [problem for problem in document.problems if problem.fatal] == []
    assert [goal.id for goal in document.goals] == ["p", "q", "n", "f"]
    p, q, n, f = document.goals
    assert (p.check, p.description, p.pillar, p.tags) == ("printf 'x|y' | cat", "a | b", "core", ("x", "y"))
    assert (q.type, q.description) == (GoalType.QUALITY, "multi line")
    assert n.threshold is not None and (n.threshold.name, n.threshold.bound, n.metric) == ("cov", 5.0, "higher")
    assert (f.fix, f.inputs, f.timeout) == ("touch x | cat", ("a", "b c"), 90.0)
    fitness = measure(document, Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK), whole=None)
    assert fitness is not None
    assert [goal.output for goal in fitness.goals[:2]] == ["x|y", "ab"], "a check of two lines still does what it did"
    assert [one.title for one in document.directives] == ["Strengthen core", "Strengthen edge"]


def test_a_check_that_says_true_is_a_command_and_no_truth_value() -> None:
    document = parse(b"version: 2\ngoals:\n  - {id: a, description: yes, check: true, weight: 5}\n", "GOALS.yaml")
    assert (document.goals[0].check, document.goals[0].description) == ("true", "yes")


def test_our_keys_are_read_and_unknown_ones_are_said() -> None:
    text = f"""version: 2
{ONE}    fix: make fix
    inputs: src/**/*.py, setup.cfg
    volatile: yes
    exclusive: true
    timeout: 5m
    optimize: [a.py]
    network: no
    affects_files: [x]
    inputz: y
top: 1
"""
    document = parse(text.encode(), "GOALS.yaml")
    goal = document.goals[0]
    assert (goal.fix, goal.inputs, goal.volatile, goal.exclusive) == ("make fix", ("src/**/*.py", "setup.cfg"), True, True)
    assert (goal.timeout, goal.optimize, goal.network) == (300.0, ("a.py",), False)
    assert [problem.text for problem in document.problems] == [
        'goal "a": the key `inputz` is not known and is ignored; did you mean `inputs`?',
        "the key `top` is not known and is ignored",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "metric: p95",
        "threshold: 80",
        "expect: '3'",
        "continuous: {metric: cov, threshold: 80, op: '<'}",
        "continuous: {metric: cov}",
        "continuous: 80",
    ],
)
def test_a_goal_whose_pass_rule_is_not_understood_is_skipped_and_never_run(tmp_path: Path, line: str) -> None:
    text = f"version: 2\ngoals:\n  - id: a\n    description: d\n    check: touch ran\n    weight: 4\n    {line}\n"
    fitness = measure(written(tmp_path, text), Folder(str(tmp_path), os.environ), HOST, StopScope(CLOCK), whole=None)
    assert fitness is not None and [goal.outcome for goal in fitness.goals] == ["skip"]
    assert fitness.goals[0].output.startswith("not run: its ")
    assert not (tmp_path / "ran").exists()
    assert not validated(str(tmp_path), os.environ, None).valid


@pytest.mark.parametrize("line", ["timeout: soon", "volatile: perhaps", "inputs: [[a]]", "fix: {a: b}", "check: [a]"])
def test_a_field_that_is_not_understood_refuses_its_goal_alone(line: str) -> None:
    other = "  - {id: b, description: d, check: 'true', weight: 1}\n"
    text = f"version: 2\ngoals:\n  - id: a\n    description: d\n    weight: 4\n    {line}\n{other}"
    text = text if "check" in line else text.replace("    weight: 4", "    check: 'true'\n    weight: 4")
    document = parse(text.encode(), "GOALS.yaml")
    assert [goal.id for goal in document.goals] == ["b"]
    assert [problem.line for problem in document.problems if problem.fatal] == [text.splitlines().index(f"    {line}") + 1]


@pytest.mark.parametrize("case", DIFFERENT, ids=lambda case: case.name)
def test_a_difference_is_explained_to_people(case: Case) -> None:
    assert case.name.split()[0] in COMPATIBILITY.read_text()
