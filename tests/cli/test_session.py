"""Whole sessions, as a person runs them: what is on screen, in the files, and in the exit code."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import AO, GOALS, Ao, Repo

HANGS = GOALS.replace("echo kept > kept.txt", "tail -f /dev/null")
BREAKS = GOALS.replace("echo kept > kept.txt", "echo kept > kept.txt; touch broken").replace("`true`", "`test ! -e broken`")
LEDGER = ".agents/evolve/cycle-history.jsonl"


def _rows(repo: Repo) -> list[dict[str, object]]:
    return [json.loads(line) for line in (repo.path / LEDGER).read_text().splitlines()]


def _everything(folder: Path) -> dict[str, bytes]:
    """Every file with its bytes, every folder without."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in sorted(folder.rglob("*"))}


@contextmanager
def _running(repo: Repo, env: Mapping[str, str], *words: str) -> Iterator[subprocess.Popen[str]]:
    """A session that has begun its first cycle and hangs in it; ended whatever happens."""
    repo.commits("a fix that hangs", GOALS__md=HANGS)
    started = subprocess.Popen(
        [AO, "evolve", *words],
        cwd=repo.path,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    try:
        for line in started.stdout:
            if "cycle 1 started" in line:
                break
        yield started
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def test_one_cycle_on_screen_and_in_the_files(ao: Ao, repo: Repo) -> None:
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    assert (done.code, done.err) == (0, ""), done
    assert "cycle 1 started: kept" in done.out
    assert "Goals passing: 1 of 2 → 2 of 2" in done.out
    assert "(max-cycles)" in done.out
    assert [(row["cycle"], row["target"], row["result"]) for row in _rows(repo)] == [(1, "kept", "improved")]
    assert (repo.path / "kept.txt").read_text() == "kept\n"


def test_the_json_report_stands_alone_on_stdout(ao: Ao, repo: Repo) -> None:
    done = ao("evolve", "--max-cycles=1", "--json", cwd=repo.path)
    found = json.loads(done.out)
    assert (found["stop_reason"], found["exit_code"], len(found["rows"])) == ("max-cycles", 0, 1)
    assert "cycle 1 started" in done.err


def test_a_dry_run_writes_nothing_at_all(ao: Ao, repo: Repo) -> None:
    before = _everything(repo.path)
    done = ao("evolve", "--dry-run", cwd=repo.path)
    assert done.code == 0, done
    assert "would work on kept" in done.out
    assert json.loads(ao("evolve", "--dry-run", "--json", cwd=repo.path).out)["chosen"]["key"] == "kept"
    assert _everything(repo.path) == before


def test_a_dry_run_said_that_the_gate_was_goals_only_although_there_was_a_command(ao: Ao, repo: Repo) -> None:
    (repo.path / "scripts").mkdir()
    (repo.path / "scripts/check-wiring-closure.sh").write_text("exit 0\n")
    assert "gate     scripts/check-wiring-closure.sh; 2 goals" in ao("evolve", "--dry-run", cwd=repo.path).out


def test_the_start_did_not_name_what_is_too_large_to_be_saved(ao: Ao, repo: Repo) -> None:
    assert "saved    files up to 50 MiB (1024 in all), ignored ones up to 1 MiB" in ao("evolve", "--dry-run", cwd=repo.path).out


def test_looking_back_and_going_back(ao: Ao, repo: Repo) -> None:
    start = repo.git("rev-parse", "HEAD")
    assert ao("evolve", "--max-cycles=1", cwd=repo.path).code == 0
    assert "improved" in ao("history", cwd=repo.path).out
    assert json.loads(ao("history", "--json", "--limit=1", cwd=repo.path).out)["cycle"] == 1
    assert "+kept" in ao("diff", "1", cwd=repo.path).out
    status = ao("status", cwd=repo.path)
    assert "Nothing is running" in status.out
    assert json.loads(ao("status", "--json", cwd=repo.path).out)["running"] is False
    (repo.path / "kept.txt").write_text("mine\n")
    restored = ao("restore", "1", "--path", "kept.txt", cwd=repo.path)
    assert restored.code == 0, restored
    assert (repo.path / "kept.txt").read_text() == "kept\n"
    undone = ao("undo", cwd=repo.path)
    assert undone.code == 0, undone
    assert not (repo.path / "kept.txt").exists()
    assert repo.git("diff", "--stat", start.strip(), "HEAD", "--", ":!.agents") == ""


def test_a_cycle_that_never_was_cannot_be_shown(ao: Ao, repo: Repo) -> None:
    for words in (("diff", "7"), ("restore", "7")):
        done = ao(*words, cwd=repo.path)
        assert done.code in (2, 7), done
        done.refused(done.code, "7")
    ao("undo", cwd=repo.path).refused(2, "nothing to undo")
    done = ao("recover", cwd=repo.path)
    assert (done.code, "nothing to decide" in done.out) == (0, True)


def test_strict_exit_fails_visibly_when_nothing_was_kept(ao: Ao, repo: Repo) -> None:
    repo.commits("a fix that breaks another goal", GOALS__md=BREAKS)
    done = ao("evolve", "--max-cycles=1", "--strict-exit", cwd=repo.path)
    assert done.code == 3, done
    assert "ao restore 1" in done.out
    assert not (repo.path / "broken").exists()
    assert ao("goals", "measure", "--strict", cwd=repo.path).code == 3


def test_a_stop_file_that_is_there_already(ao: Ao, repo: Repo) -> None:
    (repo.path / ".agents/evolve").mkdir(parents=True)
    (repo.path / ".agents/evolve/STOP").write_text("on holiday\n")
    done = ao("evolve", cwd=repo.path)
    assert done.code == 0, done
    assert "nothing was done" in done.out.lower()
    assert "ao stop --clear" in done.out
    assert "on holiday" in ao("status", cwd=repo.path).out
    assert not (repo.path / LEDGER).exists()
    tried = ao("evolve", "--dry-run", cwd=repo.path)  # nw-034, nw-036: what a start would do is nothing
    assert "A real start would do nothing either" in tried.out
    assert "on holiday" in json.loads(ao("evolve", "--dry-run", "--json", cwd=repo.path).out)["stopped"]
    assert ao("stop", "--clear", cwd=repo.path).code == 0
    assert json.loads(ao("evolve", "--dry-run", "--json", cwd=repo.path).out)["stopped"] is None
    assert ao("evolve", "--max-cycles=1", cwd=repo.path).code == 0
    assert len(_rows(repo)) == 1


def test_words_to_nobody_say_so(ao: Ao, repo: Repo) -> None:
    for word in ("stop", "pause", "resume"):
        done = ao(word, cwd=repo.path)
        assert done.code == 0
        assert "no" in done.out
    assert not (repo.path / ".agents").exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGINT, 130, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, 143, id="TERM", marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, id="HUP", marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_with_a_report(environment: dict[str, str], repo: Repo, number: signal.Signals, code: int) -> None:
    with _running(repo, environment) as session:
        session.send_signal(number)
        out, err = session.communicate(timeout=60)
    assert session.returncode == code, (out, err)
    assert "a signal ended it" in out
    assert "Traceback" not in err
    assert [row["reason"] for row in _rows(repo)] == ["interrupted"]


@pytest.mark.slow
@pytest.mark.parametrize("state", ["checkout --quiet --detach", "bisect start"])
def test_it_is_seen_and_stopped_whatever_its_agent_did_to_the_repository(
    ao: Ao, environment: dict[str, str], repo: Repo, state: str
) -> None:
    with _running(repo, environment) as session:
        repo.git(*state.split())
        for word in ("status", "history", "logs"):
            assert ao(word, cwd=repo.path).code == 0
        assert ao("stop", cwd=repo.path).code == 0
        session.communicate(timeout=60)
    assert session.returncode in (0, 7)


def test_following_ends_with_the_session(ao: Ao, environment: dict[str, str], repo: Repo) -> None:
    with _running(repo, environment) as session:
        following = subprocess.Popen([AO, "logs", "-f"], cwd=repo.path, env=environment, stdout=subprocess.PIPE, text=True)
        assert following.stdout is not None
        for line in following.stdout:
            if "cycle 1 started" in line:
                break
        assert ao("stop", cwd=repo.path).code == 0
        out, _ = following.communicate(timeout=60)
        session.communicate(timeout=60)
    assert following.returncode == 0
    assert "session ended" in out
    done = ao("logs", "-f", cwd=repo.path)
    assert (done.code, done.out.splitlines()[-1]) == (0, "No session is running.")


def test_any_program_is_an_agent_and_its_words_are_in_the_logs(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    agent = tmp_path / "agent"
    agent.write_text(
        '#!/bin/sh\ngrep -q kept && echo "I am at $AO_PHASE of $AO_TARGET"\n'
        '[ "$AO_PHASE" != implementation ] || echo by hand > kept.txt\necho "<promise>DONE</promise>"\n'
    )
    agent.chmod(0o755)
    repo.commits("no fix any more", GOALS__md=GOALS.replace("`echo kept > kept.txt`", ""))
    done = ao("evolve", "--max-cycles=1", "--agent-command", str(agent), cwd=repo.path)
    assert done.code == 0, done
    assert [(row["result"], row["worker"], row["agent"]) for row in _rows(repo)] == [("improved", "phases", "command")]
    assert "what the agent cost is not known" in done.out
    logs = ao("logs", cwd=repo.path)
    for phase in ("discovery", "implementation", "validation"):
        assert f"{phase} started" in logs.out
    assert "| I am at validation of kept" in logs.out


@pytest.mark.slow
def test_detached_it_goes_on_until_it_is_stopped(ao: Ao, repo: Repo) -> None:
    repo.commits("a fix that hangs", GOALS__md=HANGS)
    done = ao("evolve", "--detach", cwd=repo.path)
    assert done.code == 0, done
    pid = int(done.out.split("pid ")[1].split()[0])
    log = repo.path / ".git/ao/detached.log"
    following = subprocess.Popen([AO, "logs", "-f"], cwd=repo.path, stdout=subprocess.PIPE, text=True)
    try:
        assert os.getsid(pid) == pid
        os.kill(pid, signal.SIGHUP)  # the terminal is closed
        deadline = _until(lambda: "cycle 1 started" in log.read_text())
        assert deadline, log.read_text()
        assert f"pid {pid}" in ao("status", cwd=repo.path).out
        assert ao("stop", cwd=repo.path).code == 0
        assert _until(lambda: "(kill-switch)" in log.read_text()), log.read_text()
    finally:
        following.communicate(timeout=60)
        _end(pid)
    assert [row["reason"] for row in _rows(repo)] == ["interrupted"]


def test_a_terminal_that_dies_ends_no_run(environment: dict[str, str], repo: Repo) -> None:
    """loop-peers C2-4: every write to it fails with EIO from then on."""
    ours, theirs = pty.openpty()
    session = subprocess.Popen(
        [AO, "evolve", "--max-cycles=1"], cwd=repo.path, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.read(ours, 1)
    os.close(ours)
    assert session.wait(timeout=60) == 0
    assert [row["result"] for row in _rows(repo)] == ["improved"]


def _until(holds: object, seconds: float = 30.0) -> bool:
    """Whether it comes true in time; asked again whenever a short wait is over, as no event tells."""
    import select
    import time

    assert callable(holds)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if holds():
                return True
        except OSError:
            pass
        select.select([], [], [], 0.05)
    return False


def _end(pid: int) -> None:
    """End a process that this test started, if it still runs."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
