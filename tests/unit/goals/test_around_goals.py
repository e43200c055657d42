"""What stands around goals: files that checks name, first goals for a repository, the way to one line."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentops.app.goal_making import facts_of
from agentops.core.fitness import Goal
from agentops.goals.document import parse
from agentops.goals.migrating import one_line, page
from agentops.goals.templates import FIRST, Facts, Template, detect, gates
from agentops.goals.wiring import named_paths, script_of


@pytest.mark.parametrize(
    ("check", "paths"),
    [
        ("scripts/a.sh --x", ("scripts/a.sh",)),
        ("bash ./scripts/a.sh; tests/run.py|cat", ("./scripts/a.sh", "tests/run.py")),
        ("pytest -q tests/unit && hooks/pre", ("tests/unit", "hooks/pre")),
        ("(scripts/a.sh)", ("scripts/a.sh",)),
        # none of these needs a file of the repository that may be gone
        ("curl -f https://host/scripts/a.sh", ()),
        ("test ! -e tests/old.py", ()),
        ("[ -f hooks/x ] || true", ()),
        ("make report > tests/out.txt", ()),
        ("ls tests/*.py", ()),
        ("cd sub && scripts/a.sh", ()),
        ("make -C sub tests/x", ()),
        ("$ROOT/scripts/a.sh", ()),
    ],
)
def test_only_files_that_a_check_needs_are_named(check: str, paths: tuple[str, ...]) -> None:
    assert named_paths(check) == paths


def test_a_check_begins_with_a_script_or_not() -> None:
    assert script_of("scripts/x.sh --y") == "scripts/x.sh"
    assert [script_of(check) for check in ("bash scripts/x.sh", "", "  ", "./scripts/x.sh")] == [""] * 4


@given(st.sets(st.sampled_from(["go.mod", "cli/go.mod", "Cargo.toml", "pyproject.toml", "package.json", "Makefile"])), st.data())
@settings(max_examples=60, deadline=None)
def test_every_template_is_a_goals_file_that_is_read_whole(names: set[str], data: st.DataObject) -> None:
    facts = Facts(
        frozenset(names),
        frozenset(data.draw(st.sets(st.sampled_from(["ruff", "black", "mypy", "pytest"])))),
        frozenset(data.draw(st.sets(st.sampled_from(["test", "lint", "build"])))),
        frozenset(data.draw(st.sets(st.sampled_from(["test", "lint"])))),
    )
    for template in (detect(facts), *Template):
        goals = gates(template, facts)
        document = parse(page("mission", (FIRST,), goals).encode())
        assert document.problems == ()
        assert [(goal.id, goal.check, goal.fix) for goal in document.goals] == [(goal.id, goal.check, goal.fix) for goal in goals]
        assert goals


def test_only_tools_that_a_repository_set_up_become_gates(tmp_path: os.PathLike[str]) -> None:
    def put(name: str, text: str) -> None:
        with open(os.path.join(tmp_path, name), "w") as file:
            file.write(text)

    put("pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    put("package.json", '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1", "lint": "x"}}')
    put("Makefile", "VAR := 1\ntest: build\n\ttrue\n.PHONY: test\n")
    facts = facts_of(os.fspath(tmp_path))
    assert (detect(facts), facts.configured, facts.npm) == (Template.PYTHON, frozenset({"ruff"}), frozenset({"lint"}))
    assert "test" in facts.make and "VAR" not in facts.make
    assert [goal.id for goal in gates(Template.PYTHON, facts)] == ["lint", "format"]
    put("package.json", "[" * 100_000)
    assert facts_of(os.fspath(tmp_path)).npm == frozenset()


@given(st.lists(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=12), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_check_of_several_lines_does_the_same_on_one(words: list[str]) -> None:
    check = "\n".join(f"printf '%s\\n' {_quoted(word)}" for word in words) + "\nexit 3"
    single = one_line(check)
    assert len(single.splitlines()) == 1
    ran = [
        subprocess.run(["bash", "--noprofile", "--norc", "-c", one], capture_output=True, check=False) for one in (check, single)
    ]
    assert ran[0].stdout == ran[1].stdout
    assert ran[0].returncode == ran[1].returncode == 3


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def test_a_check_of_one_line_stays_as_it_is() -> None:
    assert one_line("printf 'x|y' | cat") == "printf 'x|y' | cat"
    document = parse(page("m", (), [Goal("a", one_line("a\n\tb"), "d")]).encode())
    assert document.goals[0].check == "eval $'a\\n\\tb'"
