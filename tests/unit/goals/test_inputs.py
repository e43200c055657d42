"""What `inputs` mean: a path that is missed keeps a stale pass alive, and one too many only costs a measurement."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentops.core.clock import Instant
from agentops.core.fitness import Goal, Threshold
from agentops.goals.inputs import concerns, fingerprint, matches
from agentops.goals.reuse import Passes
from agentops.records.known_passes import KnownPass, KnownPasses

ENV = {"PATH": os.environ["PATH"], "LANG": "C"}


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("src/**", "src/b/c", True),
        ("src", "src/b/c.py", True),
        ("src/", "src/b", True),
        ("./src", "src/b", True),
        ("src", "srcs/b", False),
        ("**/*.md", "README.md", True),
        ("**", "any/thing", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].txt", "a.txt", True),
        ("[!ab].txt", "a.txt", False),
        ("a+(b).txt", "a+(b).txt", True),
        ("[z-a]", "[z-a]", True),
    ],
)
def test_a_glob_means_what_a_person_means_by_it(pattern: str, path: str, meant: bool) -> None:
    assert matches(path, pattern) is meant


def test_a_goal_is_about_its_inputs_and_what_its_check_names() -> None:
    goal = Goal("a", "scripts/count.sh lib", "d", inputs=("lib/**",))
    assert concerns(goal, "lib/x/y.c") and concerns(goal, "scripts/count.sh") and not concerns(goal, "docs/a.md")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "src/a.py").write_text("a")
    (tmp_path / "src/deep/b.py").write_text("b")
    (tmp_path / "count.sh").write_text("wc -l src/*")
    (tmp_path / "other.txt").write_text("other")
    return tmp_path


GOAL = Goal("a", "bash count.sh", "d", inputs=("src/**/*.py",))


def of(folder: Path, goal: Goal = GOAL, **env: str) -> str | None:
    return fingerprint(goal, str(folder), {**ENV, **env})


def test_what_is_not_declared_changes_nothing(folder: Path) -> None:
    before = of(folder)
    (folder / "other.txt").write_text("changed")
    os.utime(folder / "src/a.py", (1, 1))
    assert before is not None and of(folder, AO_RUN_ID="x", SHLVL="9") == before


def test_everything_that_is_declared_or_named_does(folder: Path) -> None:
    seen = {of(folder)}
    (folder / "src/a.py").write_text("A")
    seen.add(of(folder))
    (folder / "src/deep/b.py").rename(folder / "src/deep/c.py")
    seen.add(of(folder))
    (folder / "src/a.py").chmod(0o755)
    seen.add(of(folder))
    (folder / "src/new.py").symlink_to("a.py")
    seen.add(of(folder))
    (folder / "count.sh").write_text("true")
    seen.add(of(folder))
    seen.add(of(folder, Goal("a", "bash count.sh -x", "d", inputs=GOAL.inputs)))
    seen.add(of(folder, LANG="de"))
    assert len(seen) == 8 and None not in seen


def test_another_tool_of_the_same_name_is_another_world(folder: Path) -> None:
    tools = folder / "tools"
    tools.mkdir()
    (tools / "lint").write_text("#!/bin/sh\n")
    (tools / "lint").chmod(0o755)
    goal = Goal("a", "lint src", "d", inputs=("src",))
    path = f"{tools}:{ENV['PATH']}"
    before = of(folder, goal, PATH=path)
    (tools / "lint").write_text("#!/bin/sh\nexit 1\n")
    assert of(folder, goal, PATH=path) != before


@pytest.mark.parametrize("trouble", ["nothing declared", "pipe", "too many"])
def test_what_cannot_be_known_cheaply_is_not_known(folder: Path, trouble: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = GOAL
    match trouble:
        case "nothing declared":
            goal = Goal("a", "true", "d")
        case "pipe":
            os.mkfifo(folder / "src/x.py")
        case "too many":
            monkeypatch.setattr("agentops.goals.inputs.MOST_FILES", 1)
    assert of(folder, goal) is None


def test_inputs_that_match_nothing_are_a_fact_too(folder: Path) -> None:
    goal = Goal("a", "true", "d", inputs=("nowhere/*.c",))
    before = of(folder, goal)
    (folder / "nowhere").mkdir()
    (folder / "nowhere/x.c").write_text("")
    assert before is not None and of(folder, goal) != before


def test_a_threshold_that_was_raised_ends_an_earlier_pass(folder: Path) -> None:
    low, high = (replace(GOAL, threshold=Threshold("coverage", bound)) for bound in (80.0, 90.0))
    assert len({of(folder), of(folder, low), of(folder, high)}) == 3


def test_a_goal_that_nobody_understands_any_more_does_not_pass_from_memory() -> None:
    known = KnownPasses()
    known.add("print", KnownPass(0.0, 0.1, "", None))
    passes = Passes(known, lambda goal: "print", lambda: Instant(0.0, 0.0))
    assert list(passes.of([GOAL])) == ["a"]
    assert list(passes.of([replace(GOAL, unclear="its `expect` is not understood")])) == []


def test_a_linked_folder_among_the_inputs_is_measured_and_not_believed(folder: Path) -> None:
    assert of(folder) is not None
    (folder / "behind").mkdir()
    (folder / "src" / "shared").symlink_to(folder / "behind")
    assert of(folder) is None
