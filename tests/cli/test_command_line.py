"""Command lines that are wrong are refused before anything is done; `--help` needs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ao, Repo

COMMANDS = (
    "evolve",
    "status",
    "logs",
    "stop",
    "pause",
    "resume",
    "report",
    "history",
    "diff",
    "restore",
    "undo",
    "recover",
    "goals",
    "queue",
    "trust",
    "demo",
)


def test_help_lists_every_command(ao: Ao, tmp_path: Path) -> None:
    done = ao("--help", cwd=tmp_path)
    assert done.code == 0
    assert re.findall(r"^  ([a-z]+) ", done.out.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)


def test_help_imports_no_command_and_nothing_heavy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import agentops.cli.main"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "agentops.cli.main" in loaded
    heavy = {"rich", "git", "msgspec", "jinja2", "psutil", "subprocess", "asyncio", "agentops.app", "agentops.cli.evolve"}
    assert loaded & heavy == set()


@pytest.mark.parametrize("command", [*COMMANDS, "goals measure"])
def test_help_of_a_command_works_outside_of_any_repository(ao: Ao, tmp_path: Path, command: str) -> None:
    done = ao(*command.split(), "--help", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: ao {command}")


def test_version(ao: Ao, tmp_path: Path) -> None:
    from agentops import __version__

    done = ao("--version", cwd=tmp_path)
    assert done.code == 0
    assert done.out.startswith(f"ao {__version__} ")


def test_no_command_is_half_a_command_line(ao: Ao, tmp_path: Path) -> None:
    for words in ((), ("goals",)):
        done = ao(*words, cwd=tmp_path)
        assert done.code == 2
        assert "Commands:" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evlove"], "did you mean ao evolve?"),
        (["goals", "mesure"], "did you mean ao goals measure?"),
        (["evolve", "--max-cycle=3"], "did you mean --max-cycles?"),
        (["evolve", "--dryrun"], "did you mean --dry-run?"),
        (["--max-cycles=3", "evolve"], "options follow it"),
        (["evolve", "--max-cycles"], "requires an argument"),
        (["evolve", "--max-cycles=0"], "0 is not in the range"),
        (["evolve", "--max-cycles=-1"], "-1 is not in the range"),  # nw-038: no number at all is no limit
        (["evolve", "--max-cycles=three"], "three"),
        (["evolve", "3"], "unexpected extra argument"),
        (["evolve", "--hours=0"], "leaves no time"),
        (["evolve", "--hours=-2"], "leaves no time"),
        (["evolve", "--hours=nan"], "leaves no time"),
        (["evolve", "--hours=inf"], "no end"),
        (["evolve", "--until=25:00"], "no time of day"),
        (["evolve", "--phase-timeout=90"], "no duration"),
        (["evolve", "--idle-timeout=0s"], "leaves no time"),
        (["evolve", "--sandbox=maybe"], "maybe"),
        (["evolve", "--isolation=worktree"], "worktree"),
        (["evolve", "--agent=command"], "--agent command needs the program"),
        (["evolve", "--agent=claude", "--agent-command=x"], "belongs to --agent command"),
        (["evolve", "--agent-command='x"], "cannot be split"),
        (["evolve", "--agent-command= "], "empty command"),
        (["stop", "--after-cycle", "--clear"], "choose one"),
        (["recover", "--keep", "--take-back"], "choose one"),
        (["diff"], "missing argument"),
        (["diff", "0"], "0 is not in the range"),
        (["restore", "x"], "x"),
        (["history", "--limit=0"], "0 is not in the range"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_one_line_and_exit_2(ao: Ao, tmp_path: Path, words: list[str], said: str) -> None:
    ao(*words, cwd=tmp_path).refused(2, said, "--help")


@pytest.mark.parametrize(
    "flag", ["--queue=x", "--queue-only", "--beads-only", "--quality", "--compile", "--parallel", "--push=never"]
)
def test_a_flag_of_what_is_not_there_is_no_silent_wish(ao: Ao, repo: Repo, flag: str) -> None:
    # loop-peers B-L11: a swallowed limit cost 464 iterations
    ao("evolve", flag, cwd=repo.path).refused(2, flag.partition("=")[0])
    assert not (repo.path / ".agents").exists()


def test_completion_still_answers(ao: Ao, tmp_path: Path) -> None:
    done = ao(cwd=tmp_path, env={"_AO_COMPLETE": "bash_complete", "COMP_WORDS": "ao ev", "COMP_CWORD": "1"})
    assert done.out.strip() == "plain,evolve"
