"""Streams that are closed, full, slow or speak ASCII only: never a traceback, and never another exit code than the truth."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import AO, Ao, Repo

SHELL = "exec {ao} {words} {streams}"


def _shell(line: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", line], cwd=cwd, env=env, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["--help", "--version", "goals measure"])
def test_closed_streams(environment: dict[str, str], repo: Repo, words: str, streams: str) -> None:
    done = _shell(SHELL.format(ao=AO, words=words, streams=streams), repo.path, environment)
    assert (done.returncode, b"Traceback" in done.stdout + done.stderr) == (0, False), done


def test_a_closed_stdout_is_not_given_to_the_next_file(environment: dict[str, str], repo: Repo) -> None:
    """With descriptor 1 free, the first file opened would get it, and whatever is printed would land there."""
    done = _shell(SHELL.format(ao=AO, words="evolve --max-cycles=1", streams=">&- 2>&-"), repo.path, environment)
    assert done.returncode == 0
    for file in [path for path in repo.path.rglob("*") if path.is_file() and ".git/objects" not in str(path)]:
        assert b"See more: " not in file.read_bytes(), file  # what only the screen says
    row = (repo.path / ".agents/evolve/cycle-history.jsonl").read_bytes()
    assert row.startswith(b'{"cycle":1,')
    assert row.count(b"\n") == 1


@pytest.mark.parametrize("words", ["--help", "evolve --help", "goals measure", "evolve --dry-run"])
def test_a_reader_that_left(environment: dict[str, str], repo: Repo, words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [AO, *words.split()],
        cwd=repo.path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_behind_stdout_is_no_success(environment: dict[str, str], repo: Repo) -> None:
    done = _shell(SHELL.format(ao=AO, words="goals measure --json", streams="> /dev/full"), repo.path, environment)
    assert done.returncode == 1
    assert done.stderr.startswith(b"ao: the output could not be written")
    assert b"Traceback" not in done.stderr


def test_a_slow_reader_of_a_pipe_that_someone_made_non_blocking_gets_everything(environment: dict[str, str], repo: Repo) -> None:
    (repo.path / "GOALS.md").write_text(
        "# Many\n\n## Gates\n\n| ID | Check |\n|---|---|\n"
        + "".join(f"| g{number:03}{'x' * 300} | `true` |\n" for number in range(60))
    )
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    started = subprocess.Popen(
        [AO, "goals", "measure", "--json"],
        cwd=repo.path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        held = pipe.read()
    _, err = started.communicate(timeout=60)
    assert (started.returncode, err) == (0, b"")
    assert held.endswith(b"}\n")
    assert len(held) > 60 * 300


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=["C", "ascii", "latin-1"],
)
def test_a_terminal_that_cannot_spell(ao: Ao, repo: Repo, locale: dict[str, str]) -> None:
    (repo.path / "GOALS.md").write_text(
        "# Ü\n\n## Gates\n\n| ID | Check |\n|---|---|\n| size | `echo ☃; false` |\n| größe→ | `true` |\n", "utf-8"
    )
    done = ao("goals", "measure", cwd=repo.path, env=locale)
    assert done.code == 0, done
    assert "size" in done.out
    assert "GOALS.md:8" in done.err, "a row that was not read is named"
    refused = ao("evlove", cwd=repo.path, env=locale)
    refused.refused(2, "did you mean")
    assert "->" in refused.err


def test_words_that_are_no_utf_8(ao: Ao, repo: Repo) -> None:
    ao(b"ev\xff", cwd=repo.path).refused(2, "\\xff")
    ao("goals", "measure", "--file", b"no\xffsuch.md", cwd=repo.path).refused(2, "\\xff")
    ao("goals", "measure", "--goal", b"\xff", cwd=repo.path).refused(2, "\\xff")


def test_names_of_goals_do_nothing_to_a_terminal(ao: Ao, repo: Repo) -> None:
    (repo.path / "GOALS.md").write_text(
        "# T\n\n## Gates\n\n| ID | Check |\n|---|---|\n| a | `printf '\\033]0;owned\\007\\033[2J!'; false` |\n"
    )
    done = ao("goals", "measure", cwd=repo.path)
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\x07" not in done.out


def test_a_pipe_gets_no_colours_and_a_terminal_without_colours_neither(environment: dict[str, str], repo: Repo) -> None:
    assert b"\x1b" not in _shell(f"{AO} goals measure", repo.path, environment).stdout
    on_terminal = f"script -qec '{AO} goals measure' /dev/null"
    if _shell("command -v script", repo.path, environment).returncode:
        pytest.skip("no script(1) to make a terminal with")
    coloured = _shell(on_terminal, repo.path, {**environment, "TERM": "xterm-256color"}).stdout
    plain = _shell(on_terminal, repo.path, {**environment, "TERM": "xterm-256color", "NO_COLOR": "1"}).stdout
    assert b"\x1b[3" in coloured
    assert b"\x1b[3" not in plain
    assert b"passes" in plain
