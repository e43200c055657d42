"""Git through our door: nothing of the repository's runs, nothing of the environment redirects (design-review E3)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentops.core.errors import GitFailed
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope

DoorTo = Callable[[Path], Git]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")
    return tmp_path


@pytest.fixture
def door_to(home: Path) -> DoorTo:
    clock = SystemClock()
    launcher = Launcher(clock)
    scope = StopScope(clock, [StopFile(str(home / "STOP"), 0)])
    return lambda folder: Git(launcher, scope, str(folder))


@pytest.fixture
def repo(home: Path, door_to: DoorTo) -> Path:
    folder = home / "repo"
    folder.mkdir()
    git = door_to(folder)
    git.run("init", "-q", writes=True)
    (folder / "f.txt").write_text("one\n")
    git.run("add", ".", writes=True)
    git.run("commit", "-qm", "start", writes=True)
    return folder


def hostile(repo: Path, proof: Path) -> None:
    """Everything by which a repository can have git run a command."""
    script = repo.parent / "evil.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {proof}\ncat\n')
    script.chmod(0o755)
    (repo / ".gitattributes").write_text("* filter=ev=il diff=evil merge=evil\n")
    hooks = repo / ".git" / "evil-hooks"
    hooks.mkdir()
    for name in ("pre-commit", "post-index-change", "reference-transaction", "post-checkout", "commit-msg"):
        (hooks / name).symlink_to(script)
    for name, value in {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(script),
        "filter.ev=il.clean": str(script),
        "filter.ev=il.smudge": str(script),
        "filter.ev=il.required": "true",
        "diff.external": str(script),
        "diff.evil.command": str(script),
        "diff.evil.textconv": str(script),
        "merge.evil.driver": f"{script} %A",
    }.items():
        subprocess.run(["git", "config", name, value], cwd=repo, check=True)


def test_hooks_monitors_filters_and_drivers_of_a_hostile_repository_do_not_run(repo: Path, door_to: DoorTo) -> None:
    git, proof = door_to(repo), repo.parent / "proof"
    git.run("status", "--porcelain")  # what was found out before must not be trusted after the agent changed it
    hostile(repo, proof)
    (repo / "f.txt").write_text("two\n")
    git.run("status", "--porcelain")
    assert b"+two" in git.run("diff").out
    git.run("add", "-A", writes=True)
    git.run("commit", "-qm", "second", writes=True)
    git.run("checkout", "-qb", "side", "HEAD~1", writes=True)
    (repo / "f.txt").write_text("three\n")
    git.run("commit", "-qam", "third", writes=True)
    assert git.run("log", "-p", "--format=%s", "-1").out.splitlines()[0] == b"third"
    assert git.run("merge", "-q", "main", check=False, writes=True).code == 1, "a conflict stays a conflict"
    git.run("reset", "-q", "--hard", "main", writes=True)
    git.run("blame", "f.txt")
    git.run("grep", "two")
    assert git.run("cat-file", "-p", "HEAD:f.txt").out == b"two\n"
    assert not proof.exists(), proof.read_text()


def test_filter_from_an_included_file_does_not_run_either(repo: Path, door_to: DoorTo) -> None:
    git, proof, included = door_to(repo), repo.parent / "proof", repo.parent / "more"
    (repo / ".gitattributes").write_text("* filter=late\n")
    included.write_text("")
    subprocess.run(["git", "config", "include.path", str(included)], cwd=repo, check=True)
    git.run("status")
    included.write_text(f'[filter "late"]\nclean = "touch {proof}; cat"\n')
    (repo / "f.txt").write_text("two\n")
    git.run("add", "-A", writes=True)
    assert not proof.exists()


def test_a_command_that_only_writes_the_index_runs_no_filter_on_entries_as_young_as_the_index(
    repo: Path, door_to: DoorTo
) -> None:
    git, proof = door_to(repo), repo.parent / "proof"
    blob = git.run("hash-object", "-w", "--stdin", "--no-filters", stdin=b"new\n", writes=True).text
    for attempt in range(5):  # whether an entry counts as young depends on the file system's clock: one of these is
        hostile(repo, proof) if attempt == 0 else None
        (repo / "f.txt").write_text(f"tw{attempt}\n")
        git.run("update-index", "f.txt", writes=True)
        git.run("update-index", "-z", "--index-info", stdin=f"100644 {blob}\tg{attempt}.txt\0".encode(), writes=True)
        git.run("write-tree", writes=True)
    assert not proof.exists(), proof.read_text()


def test_filters_and_hooks_run_when_asked_for(repo: Path, door_to: DoorTo) -> None:
    git, proof = door_to(repo), repo.parent / "proof"
    hostile(repo, proof)
    git.run("add", "-A", writes=True, filters=True, hooks=True)
    assert "post-index-change" in proof.read_text()


def test_environment_that_names_another_place_is_not_followed(
    repo: Path, door_to: DoorTo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = home / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    for name, value in {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": f"{other}/.git/index",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        "GIT_NAMESPACE": "elsewhere",
        "GIT_EXTERNAL_DIFF": "false",
    }.items():
        monkeypatch.setenv(name, value)
    git = door_to(repo)
    assert git.run("rev-parse", "--show-toplevel").text == str(repo)
    assert git.run("ls-files").out == b"f.txt\n"
    (repo / "f.txt").write_text("two\n")
    assert b"+two" in git.run("diff").out


def test_failure_says_command_code_and_words(repo: Path, door_to: DoorTo) -> None:
    git = door_to(repo)
    with pytest.raises(GitFailed, match=r"rev-parse nowhere.*ended with 128") as raised:
        git.run("rev-parse", "nowhere")
    assert b"nowhere" in raised.value.stderr
    assert git.run("rev-parse", "-q", "--verify", "nowhere", check=False).code == 1


def test_stopped_scope_and_missing_git_raise_even_unchecked(repo: Path, door_to: DoorTo, home: Path) -> None:
    git = door_to(repo)
    with pytest.raises(GitFailed, match="git: command not found"):
        Git(git.host, git.scope, str(repo), {"PATH": "/no/such"}).run("version", check=False)
    (home / "STOP").write_text("enough")
    git.scope.wait(git.scope.clock.now().plus(1))
    with pytest.raises(GitFailed, match="enough"):
        git.run("status", check=False)
    assert git.within(git.scope.closing()).run("rev-parse", "--is-inside-work-tree").text == "true"


def test_paths_that_are_no_text_go_in_and_out(repo: Path, door_to: DoorTo) -> None:
    git, name = door_to(repo), b"w\xff\n \xc3\xa9"
    Path(os.fsdecode(os.fsencode(repo) + b"/" + name)).write_bytes(b"x")
    git.run("add", "--", name, writes=True)
    assert name in git.run("ls-files", "-z").records
    assert (
        git.run("hash-object", "--no-filters", "--stdin", stdin=b"x" * 300_000).text
        == git.run("hash-object", "--stdin", stdin=b"x" * 300_000).text
    )


def test_other_index_is_used_and_the_real_one_untouched(repo: Path, door_to: DoorTo) -> None:
    git, index = door_to(repo), repo / ".git" / "index"
    before = index.read_bytes()
    git.run("read-tree", "--empty", index=str(repo / ".git" / "ours"), writes=True, durable=True)
    assert git.run("ls-files", index=str(repo / ".git" / "ours")).out == b""
    assert index.read_bytes() == before


def test_reading_takes_no_lock(repo: Path, door_to: DoorTo) -> None:
    git, index = door_to(repo), repo / ".git" / "index"
    os.utime(repo / "f.txt", (1, 1))
    before = index.read_bytes()
    git.run("status")
    assert index.read_bytes() == before
    git.run("status", writes=True)
    assert index.read_bytes() != before


def test_colours_and_pagers_of_a_person_stay_out_of_what_we_parse(repo: Path, door_to: DoorTo, home: Path) -> None:
    with (home / ".gitconfig").open("a") as file:
        file.write("[color]\nui = always\n[core]\npager = false\nquotePath = true\n[log]\nshowSignature = true\n")
    (repo / "ü").touch()
    git = door_to(repo)
    assert git.run("status", "--porcelain").out == "?? ü\n".encode()
    assert git.run("log", "--oneline").out.endswith(b" start\n")


def test_fault_points_are_named_after_the_command(repo: Path, door_to: DoorTo, tmp_path: Path) -> None:
    code = """
import os, sys
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
git = Git(Launcher(clock), StopScope(clock), sys.argv[1])
git.run("-c", "x.y=z", "update-ref", "refs/ao/x", "HEAD", writes=True)
git.run("rev-parse", "HEAD")
"""
    import sys

    log = tmp_path / "log"
    env = {**os.environ, "AO_FAULT_LOG": str(log), "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    subprocess.run([sys.executable, "-c", code, str(repo)], env=env, check=True)
    assert [line for line in log.read_text().splitlines() if line.startswith("git.")] == [
        "git.update-ref.before",
        "git.update-ref.after",
    ]


def test_gitpython_reads_through_the_door_and_leaves_no_child(
    repo: Path, door_to: DoorTo, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentops.host.gitpython import open_repo

    (repo / "untracked ü").touch()
    proof = repo.parent / "proof"
    hostile(repo, proof)
    monkeypatch.setenv("GIT_DIR", "/no/such")

    def children() -> set[str]:
        return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())

    before = children()
    opened = open_repo(door_to(repo / ".git" / ".."))
    assert os.environ["GIT_DIR"] == "/no/such"
    head = opened.head.commit
    assert [commit.summary for commit in opened.iter_commits()] == ["start"]
    assert head.tree["f.txt"].data_stream.read() == b"one\n"
    assert sorted(opened.untracked_files) == [".gitattributes", "untracked ü"]
    (repo / "f.txt").write_text("two\n")
    assert opened.is_dirty()
    assert [one.a_path for one in head.diff(None)] == ["f.txt"]
    assert [(entry[0].hexsha, entry[1]) for entry in opened.blame("HEAD", "f.txt") or []] == [(head.hexsha, ["one"])]  # type: ignore[union-attr]
    assert opened.active_branch.name == "main"
    with pytest.raises(Exception, match="nowhere"):
        opened.git.rev_parse("nowhere")
    assert children() == before
    assert not proof.exists()
