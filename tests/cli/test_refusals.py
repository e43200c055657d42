"""Places where it can't work: one line that says what is wrong, one command that mends it, the right exit code."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import AO, GOALS, Ao, Done, Repo

EVOLVE = ("evolve", "--max-cycles=1")


def test_no_git_repository(ao: Ao, tmp_path: Path) -> None:
    (tmp_path / "GOALS.md").write_text(GOALS)
    for words in (EVOLVE, ("status",), ("diff", "1"), ("stop",)):
        ao(*words, cwd=tmp_path, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}).refused(7, "git")


def test_no_git_at_all(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "bash").symlink_to("/bin/bash")
    ao(*EVOLVE, cwd=repo.path, env={"PATH": str(tools)}).refused(7, "git")


def test_no_commit(ao: Ao, empty_repo: Repo) -> None:
    (empty_repo.path / "GOALS.md").write_text(GOALS)
    ao(*EVOLVE, cwd=empty_repo.path).refused(7, "commit")


def test_detached_head(ao: Ao, repo: Repo) -> None:
    repo.git("checkout", "--quiet", "--detach")
    ao(*EVOLVE, cwd=repo.path).refused(7, "detached", "git switch")


def test_bare(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    ao(*EVOLVE, cwd=tmp_path / "bare").refused(7, "bare")


def _merging(repo: Repo) -> None:
    repo.git("switch", "--quiet", "-c", "other")
    repo.commits("theirs", a__txt="theirs\n")
    repo.git("switch", "--quiet", "main")
    repo.commits("ours", a__txt="ours\n")
    repo.git("merge", "--quiet", "other", check=False)


def _rebasing(repo: Repo) -> None:
    repo.git("switch", "--quiet", "-c", "other")
    repo.commits("theirs", a__txt="theirs\n")
    repo.git("switch", "--quiet", "main")
    repo.commits("ours", a__txt="ours\n")
    repo.git("rebase", "other", check=False)


def _bisecting(repo: Repo) -> None:
    repo.commits("more", a__txt="a\n")
    repo.git("bisect", "start")


@pytest.mark.parametrize("begin", [_merging, _rebasing, _bisecting], ids=["merge", "rebase", "bisect"])
def test_something_under_way(ao: Ao, repo: Repo, begin: Callable[[Repo], None]) -> None:
    begin(repo)
    before = repo.git("status", "--porcelain")
    ao(*EVOLVE, cwd=repo.path).refused(7)
    assert repo.git("status", "--porcelain") == before


def test_goals_missing(ao: Ao, repo: Repo) -> None:
    repo.git("rm", "--quiet", "GOALS.md")
    repo.commits("no goals", a__txt="")
    ao(*EVOLVE, cwd=repo.path).refused(7, "GOALS.md")
    ao("goals", "measure", cwd=repo.path).refused(2, "GOALS.md")


@pytest.mark.parametrize(
    "content",
    [b"\x00\x01\x02\xff" * 100, b"# T\n\n## Gates\n\n| ID | Check |\n|---|---|\n| \xff\xfe | `true` |\n"],
    ids=["binary", "no UTF-8"],
)
def test_goals_that_do_not_load(ao: Ao, repo: Repo, content: bytes) -> None:
    (repo.path / "GOALS.md").write_bytes(content)
    ao("goals", "measure", cwd=repo.path).refused(2, "GOALS.md")
    ao(*EVOLVE, cwd=repo.path).refused(2, "GOALS.md")
    assert not (repo.path / ".agents/evolve/cycle-history.jsonl").exists()


def test_a_goals_file_that_is_a_folder(ao: Ao, repo: Repo) -> None:
    (repo.path / "GOALS.md").unlink()
    (repo.path / "GOALS.md").mkdir()
    done = ao("goals", "measure", cwd=repo.path)
    done.refused(2)


@pytest.mark.parametrize("prefix", [b"\xef\xbb\xbf", b""], ids=["BOM", "no BOM"])
@pytest.mark.parametrize("ending", [b"\r\n", b"\n"], ids=["CRLF", "LF"])
def test_goals_of_other_editors(ao: Ao, repo: Repo, prefix: bytes, ending: bytes) -> None:
    (repo.path / "GOALS.md").write_bytes(prefix + GOALS.encode().replace(b"\n", ending))
    done = ao("goals", "measure", cwd=repo.path)
    assert done.code == 0
    assert "1 of 2 pass, 1 fail" in done.out


def test_git_dir_in_the_environment_leads_nowhere_else(ao: Ao, repo: Repo, tmp_path: Path, environment: dict[str, str]) -> None:
    """Started from a git hook, GIT_DIR would turn every git call to the hook's repository."""
    other = Repo(tmp_path / "other", environment)
    other.path.mkdir()
    other.git("init", "--quiet")
    other.commits("other", b__txt="b\n")
    head, files = other.git("rev-parse", "HEAD"), other.git("status", "--porcelain")
    redirect = {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": str(other.path / ".git/index"),
    }
    done = ao(*EVOLVE, cwd=repo.path, env=redirect)
    assert done.code == 0, done
    assert "GIT_DIR" in done.out
    assert (other.git("rev-parse", "HEAD"), other.git("status", "--porcelain")) == (head, files)
    assert not (other.path / ".git/ao").exists()
    assert (repo.path / "kept.txt").exists()


def test_cron_gives_next_to_nothing(ao: Ao, repo: Repo) -> None:
    done = ao(*EVOLVE, cwd=repo.path, only={"PATH": "/usr/bin:/bin"})
    assert done.code == 0, done
    assert "Traceback" not in done.err
    assert (repo.path / "kept.txt").exists()


def test_an_agent_that_is_not_there(ao: Ao, repo: Repo) -> None:
    before = repo.git("status", "--porcelain", "--ignored")
    ao(*EVOLVE, "--agent-command", "no-such-agent --x", cwd=repo.path).refused(7, "no-such-agent")
    assert repo.git("status", "--porcelain", "--ignored") == before


def test_a_second_supervisor(ao: Ao, repo: Repo, environment: dict[str, str]) -> None:
    repo.commits("a fix that hangs", GOALS__md=GOALS.replace("echo kept > kept.txt", "tail -f /dev/null"))
    first = subprocess.Popen(
        [AO, "evolve", "--max-cycles=1"],
        cwd=repo.path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout is not None
        for line in first.stdout:
            if "cycle 1" in line:
                break
        ao(*EVOLVE, cwd=repo.path).refused(6, str(first.pid), "ao status")
        ao("evolve", "--detach", cwd=repo.path).refused(6, str(first.pid))
        ao("undo", cwd=repo.path).refused(6, str(first.pid))
        status = ao("status", cwd=repo.path)
        assert f"pid {first.pid}" in status.out
        assert "cycle 1 on kept" in status.out
    finally:
        stopped = ao("stop", cwd=repo.path)
        first.communicate(timeout=60)
    assert stopped.code == 0
    assert first.returncode == 0
    assert not (repo.path / ".agents/evolve/STOP").exists(), "a stop of our own must not cancel the next night"


def test_a_state_folder_that_cannot_be_written(ao: Ao, repo: Repo) -> None:
    (repo.path / ".git" / "ao").write_text("in the way")
    for words in (EVOLVE, ("evolve", "--detach"), ("status",), ("history",), ("logs",), ("stop",), ("undo",)):
        done = ao(*words, cwd=repo.path)
        assert "Traceback" not in done.err
        assert "should not have" not in done.err, (words, done)
    ao(*EVOLVE, cwd=repo.path).refused(7, "ao")
    assert not (repo.path / "kept.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".git", ".agents", "."])
def test_a_read_only_disk(repo: Repo, environment: dict[str, str], folder: str) -> None:
    (repo.path / ".agents").mkdir()
    read_only = (
        f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && cd $PWD && exec {AO} evolve --max-cycles=1"
    )
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace to make it read-only in")
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", read_only],
        cwd=repo.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    Done(done.returncode, done.stdout, done.stderr).refused(7, "ead-only")
    assert not (repo.path / "kept.txt").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_ledger_that_may_not_be_read(ao: Ao, repo: Repo) -> None:
    ledger = repo.path / ".agents/evolve/cycle-history.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.touch(mode=0)
    ao("history", cwd=repo.path).refused(7, "cycle-history.jsonl")


def test_a_ledger_that_is_a_folder(ao: Ao, repo: Repo) -> None:
    (repo.path / ".agents/evolve/cycle-history.jsonl").mkdir(parents=True)
    ao("history", cwd=repo.path).refused(7, "cycle-history.jsonl")
    assert ao("status", cwd=repo.path).code == 0


def test_the_current_folder_is_gone(environment: dict[str, str], repo: Repo) -> None:
    line = f"mkdir gone && cd gone && rmdir ../gone && exec {AO} status"
    done = subprocess.run(["bash", "-c", line], cwd=repo.path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 7
    assert done.stderr.startswith("ao: the current folder does not exist any more")


def test_a_file_where_our_folder_belongs_was_called_a_mistake_of_ours(ao: Ao, repo: Repo) -> None:
    (repo.path / ".agents").write_text("somebody's\n")
    ao("queue", "add", "work", cwd=repo.path).refused(7, ".agents", "ls -ld")
    assert (repo.path / ".agents").read_text() == "somebody's\n"
