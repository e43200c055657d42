"""What a night brings: a terminal that is closed, an environment from cron or a git hook, words of yesterday."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import AO, GOALS, Ao, Repo

LEDGER = ".agents/evolve/cycle-history.jsonl"
HANGS = GOALS.replace("echo kept > kept.txt", "tail -f /dev/null")


def _reasons(repo: Repo) -> list[str]:
    return [json.loads(line)["reason"] for line in (repo.path / LEDGER).read_text().splitlines()]


@pytest.mark.slow
def test_closing_its_terminal_ends_it_in_order(environment: dict[str, str], repo: Repo) -> None:
    """loop-peers C2-4: the hangup and the dead output come at once."""
    repo.commits("a fix that hangs", GOALS__md=HANGS)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repo.path)
        os.execve(AO, [AO, "evolve"], environment)
    seen = b""
    while b"cycle 1 started" not in seen:
        seen += os.read(terminal, 4096)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 129, seen.decode()
    assert _reasons(repo) == ["interrupted"]
    assert repo.git("status", "--porcelain", "--", ":!.agents") == ""


@pytest.mark.slow
def test_under_nohup_a_closed_terminal_means_nothing(ao: Ao, environment: dict[str, str], repo: Repo) -> None:
    repo.commits("a fix that hangs", GOALS__md=HANGS)
    session = subprocess.Popen(
        ["nohup", AO, "evolve"], cwd=repo.path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    assert session.stdout is not None
    for line in session.stdout:
        if "cycle 1 started" in line:
            break
    session.send_signal(signal.SIGHUP)
    assert "session" in ao("stop", cwd=repo.path).out
    out, _ = session.communicate(timeout=60)
    assert session.returncode == 0 and "(kill-switch)" in out, out


def test_what_would_turn_git_elsewhere_is_dropped_and_said(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    """As from a git hook, whose GIT_DIR redirects every call of git's, whatever folder it is told to work in."""
    other = Repo(tmp_path / "other", repo.env)
    other.path.mkdir()
    other.git("init", "--quiet", "--initial-branch=main")
    hook = {"GIT_DIR": str(other.path / ".git"), "GIT_INDEX_FILE": str(other.path / ".git/index"), "GIT_PREFIX": "sub/"}
    done = ao("evolve", "--max-cycles=1", cwd=repo.path, env=hook)
    assert done.code == 0, done
    assert "dropped from the environment: GIT_DIR, GIT_INDEX_FILE, GIT_PREFIX" in done.out
    assert len(_reasons(repo)) == 1 and not (other.path / ".git/ao").exists()


@pytest.mark.slow
def test_the_machine_is_kept_awake_by_whatever_can_and_only_meanwhile(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "systemd-inhibit"
    tool.write_text('#!/bin/sh\necho $$ >"$PID"\nwhile [ "${1#-}" != "$1" ]; do shift; done\n"$@"\n')
    tool.chmod(0o755)
    env = {"PATH": f"{tools}:{os.environ['PATH']}", "PID": str(tmp_path / "pid")}
    done = ao("evolve", "--max-cycles=1", cwd=repo.path, env=env)
    assert "systemd-inhibit keeps this machine awake until the session ends" in done.out, done
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    tool.write_text("#!/bin/sh\nexit 1\n")
    done = ao("evolve", "--max-cycles=1", cwd=repo.path, env=env)
    assert done.code == 0 and "this machine may fall asleep" in done.out, done
