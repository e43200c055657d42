"""Which gate commands a repository has: real make, npm manifests and interpreters, and gates that only look like some."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentops.gate.systems import Detected, survey
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope

CLOCK = SystemClock()
HOST = Launcher(CLOCK)
MAKE = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def looked_at(top: Path, files: Mapping[str, str], env: Mapping[str, str] | None = None) -> Detected:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return survey(str(top), {**os.environ, **(env or {})}, HOST, StopScope(CLOCK))


def titles(found: Detected) -> list[str]:
    return [command.title for command in found.commands]


@MAKE
@pytest.mark.parametrize(
    "makefile",
    [
        ".PHONY: test\ntest:\n\t@echo run\n",
        "check test:\n\t@echo run\n",
        "test: unit\nunit:\n\t@echo run\n",
        "%:\n\t@echo run\n",
        "include more.mk\n",
        "test:\n\t$(MAKE) -C sub test\n",
    ],
)
def test_a_test_target_that_runs_something_is_a_gate_and_is_not_run_by_looking(tmp_path: Path, makefile: str) -> None:
    more = {"more.mk": "test:\n\ttouch ran\n", "sub/Makefile": "test:\n\ttouch ran\n"}
    assert titles(looked_at(tmp_path, {"Makefile": makefile, **more})) == ["make test"]
    assert not list(tmp_path.rglob("ran"))


@MAKE
@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"Makefile": "all:\n\ttrue\n"}, "No rule to make target"),
        ({"Makefile": ".PHONY: test\ntest:\n"}, "nothing to do"),
        ({"Makefile": "test:\n\tfalse\n", "test/x": ""}, "nothing to do"),
        ({"Makefile": "all:\n\ttrue\n", "test.sh": "exit 0\n"}, "no target `test`"),
        ({"Makefile": "broken\n"}, "missing separator"),
    ],
    ids=["missing", "empty", "a-folder-named-test", "invented-by-built-in-rules", "broken"],
)
def test_a_make_target_that_would_always_be_green_is_no_gate(tmp_path: Path, files: dict[str, str], why: str) -> None:
    found = looked_at(tmp_path, files)
    assert "make test" not in titles(found) and any("akefile" in notice and why in notice for notice in found.notices)


@MAKE
def test_a_make_above_us_does_not_hand_down_its_flags(tmp_path: Path) -> None:
    nested = {"MAKEFLAGS": "n", "MAKELEVEL": "1"}
    (command,) = looked_at(tmp_path, {"GNUmakefile": "test:\n\tfalse\n"}, nested).commands
    assert dict(command.env) == {"MAKEFLAGS": "", "MAKELEVEL": "0"}


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ('{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}', "placeholder"),
        ('{"scripts": {"build": "x"}}', "no `test` script"),
        ('{"scripts": []}', "no `test` script"),
        ("[]", "no `test` script"),
        ('{"scripts": {"test": " "}}', "no `test` script"),
        ('{"scripts": ', "truncated"),
        ("", "truncated"),
    ],
)
def test_a_manifest_without_a_real_test_script_is_no_gate(tmp_path: Path, manifest: str, why: str) -> None:
    found = looked_at(tmp_path, {"package.json": manifest})
    assert found.commands == () and len(found.notices) == 1 and why in found.notices[0]


def tools(folder: Path, *names: str) -> dict[str, str]:
    """A PATH with stand-ins for tools that only need to be there."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def test_every_system_at_the_root_is_found_in_order(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    env = tools(tmp_path_factory.mktemp("bin"), "npm", "go", "cargo")
    files = {
        "package.json": '{"scripts": {"test": "jest"}}',
        "go.mod": "module x\n",
        "Cargo.toml": "[package]\n",
        "scripts/check-wiring-closure.sh": "exit 0\n",
        "sub/Makefile": "test:\n\tfalse\n",
    }
    found = looked_at(tmp_path, files, env)
    assert titles(found) == [
        "npm test",
        "go build ./...",
        "go vet ./...",
        "go test ./...",
        "cargo build",
        "cargo test",
        "scripts/check-wiring-closure.sh",
    ]
    assert [command.number for command in found.commands] == list(range(1, 8))
    assert dict(found.commands[0].env) == {"CI": "1"}


def test_a_system_without_its_tool_is_said_and_is_no_gate(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {
        "package.json": '{"scripts": {"test": "jest"}}',
        "go.mod": "",
        "Cargo.toml": "",
        "Makefile": "test:\n\tfalse\n",
        "tests/x": "",
    }
    found = looked_at(tmp_path, files, {"PATH": str(tmp_path_factory.mktemp("empty"))})
    assert found.commands == () and len(found.notices) == 5
    assert all("not installed" in notice or "no python3" in notice for notice in found.notices)


@pytest.mark.parametrize("sign", ["pyproject.toml", "setup.py", "pytest.ini", "tests/test_x.py"])
def test_pytest_is_taken_from_the_repositorys_own_environment(tmp_path: Path, sign: str) -> None:
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    own.chmod(0o755)
    (command,) = looked_at(tmp_path, {sign: ""}).commands
    assert command.argv == (str(own), "-m", "pytest", "-q") and command.nothing_ran == {5} and command.title == "pytest"


def test_an_environment_without_pytest_is_no_gate(tmp_path: Path) -> None:
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    own.chmod(0o755)
    found = looked_at(tmp_path, {"pyproject.toml": ""})
    assert found.commands == () and "No module named 'pytest'" in found.notices[0]


def test_a_bare_folder_has_no_gate_and_nothing_to_say(tmp_path: Path) -> None:
    assert looked_at(tmp_path, {"README.md": "x"}) == Detected()
