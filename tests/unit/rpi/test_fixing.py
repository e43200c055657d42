"""Fixers: a check's own command turned from looking into mending, or the reason why there is none."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.clock import Instant
from agentops.core.places import Place, Snapshot, Start
from agentops.core.processes import Limits
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.goals.folder import Folder
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.rpi.fixers import FIXERS
from agentops.rpi.fixing import Fixing, fixing
from agentops.rpi.remedy import Remedy
from agentops.rpi.shell_words import Command, commands
from agentops.rpi.toolbox import RepositoryTools

CLOCK = SystemClock()
START = Start(1, "s.1", Instant(0, 0), Snapshot("", "", None, ""))


@dataclass
class Tools:
    """Everything is installed and configured, but for what is named here."""

    missing: set[str] = field(default_factory=set)
    bare: bool = False

    def find(self, command: Command) -> str | None:
        return None if command.tool in self.missing else command.program

    def configured(self, signs: tuple[str, ...], folder: str) -> bool:
        return not self.bare


def found(check: str, output: str = "", *, title: str = "Tidy", source: str = "goal", tools: Tools | None = None) -> Fixing:
    return fixing(WorkItem(source, "k", title, "", check=check, output=output), tools or Tools())


@pytest.mark.parametrize(
    ("check", "texts"),
    [
        ("ruff check . && ruff format --check . && mypy .", ("ruff check --fix .", "ruff format .")),
        ("ruff check --select E,F src tests/*.py >/dev/null 2>&1", ("ruff check --fix --select E,F src tests/*.py",)),
        ('test -z "$(gofmt -l ./cmd)"', ("gofmt -w ./cmd",)),
        ("cd web && npx eslint . --max-warnings 0", ("cd web && eslint --fix . --max-warnings 0",)),
        ("npx --no-install prettier --check 'src/**/*.ts'", ("prettier --write 'src/**/*.ts'",)),
        ("python -m black --check --diff src", ("python -m black src",)),
        ("poetry run isort -c .", ("isort .",)),
        ("NO_COLOR=1 .venv/bin/black --check 'a b'", (".venv/bin/black 'a b'",)),
        ("cargo fmt --all -- --check", ("cargo fmt --all",)),
        ("cargo clippy -q -- -D warnings", ("cargo clippy --fix --allow-dirty --allow-staged --offline -q",)),
        ("if ! pre-commit run --all-files; then exit 1; fi", ("pre-commit run --all-files",)),
        ("uv lock --check", ("uv lock --offline",)),
        ("ruff check .; ruff check .", ("ruff check --fix .",)),
    ],
)
def test_a_check_that_names_a_tool_is_turned_into_mending(check: str, texts: tuple[str, ...]) -> None:
    assert found(check).texts == texts


@pytest.mark.parametrize(
    "check",
    ["pytest -q", "! ruff check $SRC", "echo 'ruff check; black'", "grep -q ruff x", "go test ./...", "cargo build", "jest", ""],
)
def test_what_is_no_mendable_command_has_no_fixer(check: str) -> None:
    assert found(check) == Fixing()


@pytest.mark.parametrize(
    ("check", "output", "text"),
    [
        ("make lint", "ruff check src\nsrc/a.py:1:1 F401", "ruff check --fix src"),
        ("npm run lint", "> x@1 lint\n> eslint src\n", "eslint --fix src"),
        ("cargo build --locked", "error: the lock file Cargo.lock needs to be updated", "cargo update --workspace --offline"),
        ("cargo check", "run `cargo fix --lib` to apply 1 suggestion", "cargo fix --allow-dirty --allow-staged --offline"),
        ("go build ./...", "go: updates to go.mod needed", "go mod tidy"),
    ],
)
def test_a_check_whose_output_shows_the_tool_is_turned_too(check: str, output: str, text: str) -> None:
    assert found(check, output).texts == (text,)
    assert found(check).texts == ()


def test_a_tool_that_only_the_output_names_must_be_configured_here() -> None:
    shown = found("make lint", "black --check src", tools=Tools(bare=True))
    assert shown.texts == () and "nothing here configures it" in shown.why_not[0]


def test_a_tool_that_is_not_installed_is_a_reason_and_no_try() -> None:
    assert found("npx prettier -c .", tools=Tools({"prettier"})).why_not == (
        "prettier: the check needs it, and it is not installed here",
    )


def test_snapshots_are_renewed_only_where_the_owner_asks_for_it() -> None:
    """A renewed snapshot makes the test expect whatever the code does: the surest way to hide a bug."""
    failed = "1 snapshot failed"
    assert found("npx jest --ci", failed).texts == ()
    assert found("npx jest --ci", failed, title="Refresh the snapshots").texts == ("jest -u",)
    assert found("npx jest --ci", failed, title="Refresh the snapshots", source="harvested").texts == ()
    assert found("pytest -q", failed, title="Snapshots are up to date").texts == ("pytest --snapshot-update -q",)


@given(st.text(), st.text())
def test_any_check_and_any_output_have_an_answer(check: str, output: str) -> None:
    fixing(WorkItem("goal", "k", "t", "p", check=check, output=output), Tools())


@given(
    st.lists(st.sampled_from(["ruff", "check", "--fix", "-x", "'", '"', "$(", ")", ";", "&&", "rm -rf x", "\n", "#"]), max_size=9)
)
def test_no_command_of_a_check_becomes_one_that_mends_but_for_the_tools_own(words: list[str]) -> None:
    for text in found(" ".join(words)).texts:
        assert commands(text)[-1].tool in {fixer.tool for fixer in FIXERS} and "rm -rf" not in text


def test_every_fixer_of_the_table_changes_something_or_mends_while_it_looks() -> None:
    for fixer in FIXERS:
        assert fixer.add or fixer.drop or fixer.becomes or fixer.tool == "pre-commit", fixer
        assert not fixer.becomes or fixer.verbs, fixer
        re.compile(fixer.says)


def work(top: Path, check: str, env: dict[str, str] | None = None) -> tuple[str | None, Attempt | None]:
    whole = {**os.environ, **(env or {})}
    item = WorkItem("goal", "g", "g", "", check=check)
    remedy = Remedy(Launcher(CLOCK), Limits(), RepositoryTools(str(top), whole))
    why = remedy.declines(item)
    if why is not None:
        return why, None
    return None, remedy.work(item, cast(Place, Folder(str(top), whole)), START, StopScope(CLOCK))


def test_real_ruff_mends_what_its_check_finds(tmp_path: Path) -> None:
    source = tmp_path / "a.py"
    source.write_text("import os\nx = {  'a':1 }\n")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "RUFF_NO_CACHE": "true"}
    _, attempt = work(tmp_path, "ruff check --isolated . && ruff format --isolated --check .", env)
    assert attempt is not None and attempt.claimed is Claimed.DONE and len(attempt.runs) == 2
    assert source.read_text() == 'x = {"a": 1}\n'


def test_a_fixer_that_does_not_help_declines_and_says_what_it_ran(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = undefined\n")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "RUFF_NO_CACHE": "true"}
    _, attempt = work(tmp_path, "ruff check --isolated .", env)
    assert attempt is not None and attempt.declined is not None
    assert "`ruff check --fix --isolated .` ended with error" in attempt.declined


def test_a_fixer_is_kept_from_the_network_and_finds_the_repositorys_own_tool(tmp_path: Path) -> None:
    own = tmp_path / "node_modules" / ".bin"
    own.mkdir(parents=True)
    (own / "prettier").write_text('#!/bin/sh\necho "$npm_config_offline $GIT_ALLOW_PROTOCOL $*" > ran\n')
    (own / "prettier").chmod(0o755)
    _, attempt = work(tmp_path, "test -f ran || npx prettier --check src")
    assert attempt is not None and attempt.claimed is Claimed.DONE
    assert (tmp_path / "ran").read_text() == "true file --write src\n"


@pytest.mark.parametrize(
    ("tool", "files", "check", "path", "mended"),
    [
        ("black", {"a.py": "x = {  'a':1 }\n"}, "black --check .", "a.py", 'x = {"a": 1}\n'),
        ("isort", {"a.py": "import sys\nimport os\n"}, "isort --check .", "a.py", "import os\nimport sys\n"),
        (
            "cargo",
            {"Cargo.toml": '[package]\nname="x"\nversion="0.1.0"\nedition="2021"\n', "src/main.rs": "fn main(){}\n"},
            "cargo fmt -- --check",
            "src/main.rs",
            "fn main() {}\n",
        ),
        ("gofmt", {"a.go": "package a\nfunc  f() {}\n"}, 'test -z "$(gofmt -l .)"', "a.go", "package a\n\nfunc f() {}\n"),
        ("prettier", {"a.json": '{"a":1}\n'}, "prettier --check a.json", "a.json", '{ "a": 1 }\n'),
    ],
)
def test_real_tools_where_they_are_installed(
    tmp_path: Path, tool: str, files: dict[str, str], check: str, path: str, mended: str
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    _, attempt = work(tmp_path, check)
    assert attempt is not None and attempt.claimed is Claimed.DONE, attempt
    assert (tmp_path / path).read_text() == mended
