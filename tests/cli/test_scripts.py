"""The two scripts that a newcomer types, as far as they can be tried without installing anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.paths import PATH

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ["scripts/ao", "scripts/test", "scripts/environment.sh", ".ci/run", "goals/checks/tool", "goals/checks/quick-tests"]


def _bash(line: str, **env: str) -> subprocess.CompletedProcess[str]:
    full = {"PATH": PATH, **env}
    return subprocess.run(["bash", "-c", line], cwd=ROOT, env=full, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_is_a_script(script: str) -> None:
    done = _bash(f"bash -n {script}")
    assert (done.returncode, done.stderr) == (0, "")
    assert script.endswith(".sh") or os.access(ROOT / script, os.X_OK)


def _checkout(tmp_path: Path) -> Path:
    """The scripts with a virtual environment that is current and only pretends to be one."""
    made = tmp_path / "checkout"
    (made / "scripts").mkdir(parents=True)
    (made / ".venv/bin").mkdir(parents=True)
    for name in ("scripts/ao", "scripts/environment.sh", "pyproject.toml", "constraints.txt"):
        (made / name).write_bytes((ROOT / name).read_bytes())
        (made / name).chmod(0o755)
    for name in ("ao", "python"):
        (made / ".venv/bin" / name).write_text('#!/bin/sh\necho "$(basename "$0")" "$@"\n')
        (made / ".venv/bin" / name).chmod(0o755)
    return made


def test_a_current_installation_is_used_as_it_is_and_again_without_a_word(tmp_path: Path) -> None:
    made = _checkout(tmp_path)
    link = tmp_path / "anywhere"
    link.symlink_to(made / "scripts/ao")
    first = _bash(f"{link} evolve --hours 'a b'")
    assert (first.returncode, first.stdout.splitlines()[-1]) == (0, "ao evolve --hours a b")
    assert "installing" in first.stderr
    second = _bash(f"{link} status")
    assert (second.returncode, second.stdout, second.stderr) == (0, "ao status\n", "")


def test_what_the_tests_need_holds_what_a_run_needs(tmp_path: Path) -> None:
    made = _checkout(tmp_path)
    assert _bash(f". {made}/scripts/environment.sh; ensure_environment dev").returncode == 0
    assert _bash(f"{made}/scripts/ao x").stderr == ""


def test_changed_requirements_are_installed(tmp_path: Path) -> None:
    made = _checkout(tmp_path)
    assert _bash(f"{made}/scripts/ao x").returncode == 0
    with (made / "constraints.txt").open("a") as file:
        file.write("# another\n")
    assert "installing" in _bash(f"{made}/scripts/ao x").stderr


def test_an_installation_that_fails_is_tried_again_and_ao_is_not_started(tmp_path: Path) -> None:
    made = _checkout(tmp_path)
    (made / ".venv/bin/python").write_text('#!/bin/sh\n[ "$1" = -c ]\n')
    for _ in range(2):
        done = _bash(f"{made}/scripts/ao x")
        assert (done.returncode, done.stdout) == (7, "")
        assert "did not finish" in done.stderr


def test_without_a_python_that_is_new_enough_it_says_which(tmp_path: Path) -> None:
    made = _checkout(tmp_path)
    (made / ".venv/bin/python").unlink()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "dirname", "readlink", "cat", "cksum", "mkdir", "flock", "env"):
        found = _bash(f"command -v {name}").stdout.strip()
        (tools / name).symlink_to(found)
    done = _bash(f"{made}/scripts/ao x", PATH=str(tools))
    assert done.returncode == 7
    assert "no Python 3.11" in done.stderr


def test_the_documents_name_nothing_that_is_not_there() -> None:
    done = _bash("python3 goals/checks/docs-true")
    assert (done.returncode, done.stdout) == (0, "")
