"""Where `ao` works and where it refuses, with one line and the command that mends it (C2-31)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentops.core.errors import EnvironmentUnusable, ExitCode
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.tree.exclude import LOCAL, exclude_local, missing
from agentops.tree.repository import Repository, discover
from tests.git.ground import Ground, cycle


def found(repo: Ground, cwd: Path | None = None) -> Repository:
    clock = SystemClock()
    where = str(cwd or repo.top)
    return discover(Git(Launcher(clock), StopScope(clock, ()), where, repo.env), where, repo.env)


def merging(repo: Ground) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.write("a.txt", "side\n")
    repo.git("commit", "-q", "-a", "-m", "side")
    repo.git("checkout", "-q", "main")
    repo.write("a.txt", "main\n")
    repo.git("commit", "-q", "-a", "-m", "main")
    repo.git("merge", "-q", "side", check=False)


def rebasing(repo: Ground) -> None:
    merging(repo)
    repo.git("merge", "--abort")
    repo.git("rebase", "-q", "side", check=False)


def picking(repo: Ground) -> None:
    merging(repo)
    repo.git("merge", "--abort")
    repo.git("cherry-pick", "side", check=False)


def reverting(repo: Ground) -> None:
    merging(repo)
    repo.git("merge", "--abort")
    repo.write("a.txt", "later\n")
    repo.git("commit", "-q", "-a", "-m", "later")
    repo.git("revert", "--no-edit", "HEAD~1", check=False)


def applying(repo: Ground) -> None:
    merging(repo)
    repo.git("merge", "--abort")
    patch = repo.git("format-patch", "-1", "side", "--stdout")
    repo.git("am", "-q", stdin=patch, check=False)


def bisecting(repo: Ground) -> None:
    repo.git("bisect", "start")


def detached(repo: Ground) -> None:
    repo.git("checkout", "-q", "--detach")


def without_commit(repo: Ground) -> None:
    repo.git("checkout", "-q", "--orphan", "fresh")


def bare_setting(repo: Ground) -> None:
    repo.git("config", "core.bare", "true")


@pytest.mark.parametrize(
    ("act", "word", "mend"),
    [
        (merging, "merge", "git merge --"), (rebasing, "rebase", "git rebase --"), (picking, "cherry-pick", "git cherry-pick --"),
        (reverting, "revert", "git revert --"), (applying, "am is", "git am --"), (bisecting, "bisect", "git bisect reset"),
        (detached, "detached", "git switch"), (without_commit, "no commit", "git commit"), (bare_setting, "bare", "core.bare"),
    ],
)  # fmt: skip
def test_states_that_are_refused(repo: Ground, act: Callable[[Ground], None], word: str, mend: str) -> None:
    act(repo)
    with pytest.raises(EnvironmentUnusable, match=word) as caught:
        found(repo)
    assert mend in caught.value.mend
    assert caught.value.exit_code is ExitCode.ENVIRONMENT
    assert "\n" not in str(caught.value)


def test_outside_of_any_repository_and_inside_a_bare_one(repo: Ground, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match="no git repository"):
        found(repo, tmp_path)
    repo.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    with pytest.raises(EnvironmentUnusable, match="bare"):
        found(repo, tmp_path / "bare.git")


def test_without_git_it_is_said(repo: Ground) -> None:
    repo.env = {**repo.env, "PATH": "/nowhere"}
    with pytest.raises(EnvironmentUnusable, match="git"):
        found(repo)


def test_from_a_folder_below_and_through_a_link(repo: Ground, tmp_path: Path) -> None:
    assert found(repo, repo.top / "src/deep").top == str(repo.top)
    (tmp_path / "link").symlink_to(repo.top)
    there = found(repo, tmp_path / "link")
    assert there.top == str(repo.top)
    assert (there.branch, there.head) == ("main", repo.git("rev-parse", "HEAD").decode().strip())
    assert (os.stat(there.state).st_mode & 0o777, there.state) == (0o700, str(repo.top / ".git/ao"))


@pytest.mark.parametrize("name", ["with space", "ünï", "new\nline", "quote\"s'"])
def test_odd_names_of_the_repository_itself(repo: Ground, tmp_path: Path, name: str) -> None:
    repo.top.rename(tmp_path / name)
    repo.top = tmp_path / name
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("new/file.txt")
    repo.agent_commits("a.txt")
    now.taken_back()
    now.is_as_before()


def test_a_linked_work_tree_works_and_shares_the_state(repo: Ground, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked tree"))
    linked = Ground(tmp_path / "linked tree", repo.home)
    assert found(linked).state == str(repo.top / ".git/ao")
    linked.write("b.txt", "mine\n")
    now = cycle(linked)
    linked.write("a.txt", "agent\n")
    linked.agent("commit", "-q", "-a", "-m", "sweep")
    assert not now.taken_back().contested
    now.is_as_before()
    assert repo.git("status", "--porcelain") == b""


def test_a_shallow_clone_works(repo: Ground, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--depth=1", f"file://{repo.top}", str(tmp_path / "shallow"))
    shallow = Ground(tmp_path / "shallow", repo.home)
    now = cycle(shallow)
    shallow.write("a.txt", "agent\n")
    shallow.agent_commits("a.txt")
    assert not now.taken_back().contested
    now.is_as_before()


def test_a_sparse_checkout_works_and_is_said(repo: Ground) -> None:
    repo.git("sparse-checkout", "set", "src")
    assert any("parse" in notice for notice in found(repo).notices)
    assert not (repo.top / "docs").exists()
    now = cycle(repo)
    repo.write("src/one.py", "agent\n")
    repo.write("docs/read.md", "surfaced\n")
    repo.agent("add", "-A")
    repo.agent("commit", "-q", "-m", "agent")
    assert not now.taken_back().contested
    now.is_as_before()


def test_a_submodule_is_worked_around_and_said(repo: Ground, tmp_path: Path) -> None:
    other = tmp_path / "other"
    repo.git("clone", "-q", str(repo.top), str(other))
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    repo.git("commit", "-q", "-m", "submodule")
    assert any("ubmodules" in notice for notice in found(repo).notices)
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("sub/inside.txt", "agent\n")
    now.taken_back()
    assert repo.read("a.txt") == b"a.txt at the start\n"
    assert repo.read("sub/inside.txt") == b"agent\n"


def test_a_repository_with_sha256_works(tmp_path: Path, repo: Ground) -> None:
    top = tmp_path / "sha256"
    top.mkdir()
    other = Ground(top, repo.home)
    other.git("init", "-q", "-b", "main", "--object-format=sha256")
    other.write("a.txt", "start\n")
    other.git("add", "-A")
    other.git("commit", "-q", "-m", "start")
    other.write("mine.txt", "mine\n")
    other.git("add", "-N", "mine.txt")
    now = cycle(other)
    other.write("a.txt", "agent\n")
    other.agent("add", "-A")
    other.agent("commit", "-q", "-m", "sweep")
    assert not now.taken_back().contested
    now.is_as_before()


def test_local_names_are_excluded_once_and_nothing_else_changes(repo: Ground) -> None:
    repo.write(".git/info/exclude", "mine")
    there = found(repo)
    assert exclude_local(there)
    assert not exclude_local(there)
    text = repo.read(".git/info/exclude")
    assert text.startswith(b"mine\n# ")
    assert missing(text) == text
    assert all(text.count(name.encode()) >= 1 for name in LOCAL)
    repo.write(".agents/evolve/session-state.json")
    repo.write(".agents/rpi/next-work.jsonl")
    repo.write(".agents/evolve/cycle-history.jsonl")
    repo.write(".agents/evolve/fitness-baselines/goals-1/a.json")
    shown = repo.git("status", "--porcelain", "-uall").decode().split()
    assert shown[1::2] == [".agents/evolve/cycle-history.jsonl", ".agents/evolve/fitness-baselines/goals-1/a.json"]
