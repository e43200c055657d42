"""What a cycle writes into git's configuration, attributes and hooks never runs on our account (design-review E3)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.git.ground import Ground, cycle


def booby_trap(repo: Ground) -> Path:
    """Every way to have git run something, each of which would leave a file."""
    trap = repo.home / "sprung"
    script = repo.home / "trap.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {trap}\ncat\n')
    script.chmod(0o755)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"):
        repo.git("config", key, str(script))
    repo.git("config", "filter.a=b.clean", str(script))
    repo.git("config", "diff.external", str(script))
    repo.git("config", "core.hooksPath", str(repo.top / ".git/hooks"))
    hooks = (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "pre-auto-gc",
    )
    for name in hooks:
        hook = repo.top / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script.read_text())
        hook.chmod(0o755)
    repo.write(".gitattributes", "*.txt filter=evil diff=evil\n*.md filter=a=b\n")
    return trap


@pytest.mark.parametrize("end", ["keep", "take_back"])
def test_nothing_that_a_cycle_configures_runs(repo: Ground, end: str) -> None:
    now = cycle(repo)
    trap = booby_trap(repo)
    repo.write("a.txt", "agent\n")
    repo.write("docs/read.md", "agent\n")
    effect = now.effect()
    assert {".git/config", ".git/hooks/pre-commit"} <= effect.tampered
    if end == "keep":
        now.place.keep(now.start, effect, "work")
        assert repo.git("cat-file", "blob", "HEAD:a.txt") == b"agent\n"
    else:
        assert not now.place.take_back(now.start, effect).contested
    assert not trap.exists(), trap.read_text()


def test_taking_back_puts_gits_own_files_back(repo: Ground) -> None:
    config = (repo.top / ".git/config").read_bytes()
    now = cycle(repo)
    trap = booby_trap(repo)
    now.taken_back()
    assert (repo.top / ".git/config").read_bytes() == config
    assert not (repo.top / ".git/hooks/pre-commit").exists()
    now.is_as_before()
    assert not trap.exists()


@pytest.mark.parametrize("linked_before", (True, False))
def test_a_folder_of_hooks_and_a_link_to_one_change_places_and_back(repo: Ground, linked_before: bool) -> None:
    hooks, kept = repo.top / ".git/hooks", repo.top / "kept hooks"
    kept.mkdir()
    shutil.rmtree(hooks, ignore_errors=True)

    def link() -> None:
        hooks.symlink_to("../kept hooks")

    def folder() -> None:
        repo.write(".git/hooks/pre-commit", "a hook\n", 0o755)

    (link if linked_before else folder)()
    now = cycle(repo)
    hooks.unlink() if linked_before else shutil.rmtree(hooks)
    (folder if linked_before else link)()
    assert not now.taken_back().contested
    assert hooks.is_symlink() is linked_before
    if not linked_before:
        assert repo.read(".git/hooks/pre-commit") == b"a hook\n"


def test_configuration_that_a_person_changed_after_the_cycle_stays(repo: Ground) -> None:
    now = cycle(repo)
    repo.git("config", "user.name", "Agent")
    effect = now.effect()
    repo.git("config", "user.name", "Person again")
    done = now.place.take_back(now.start, effect)
    assert done.contested == {".git/config"}
    assert repo.git("config", "user.name") == b"Person again\n"


def smudging(repo: Ground) -> None:
    """As git-lfs does it: the store holds something else than the file."""
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.smudge", "tr A-Z a-z")
    repo.write(".gitattributes", "*.big filter=upper\n")
    repo.write("asset.big", "asset\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "assets")
    assert repo.git("show", "HEAD:asset.big") == b"ASSET\n"


def test_filters_of_the_persons_own_give_their_files_back(repo: Ground) -> None:
    smudging(repo)
    now = cycle(repo)
    repo.write("asset.big", "agent\n")
    assert not now.taken_back().contested
    assert repo.read("asset.big") == b"asset\n"
    assert repo.git("status", "--porcelain") == b""


def test_kept_work_is_stored_through_the_persons_own_filters(repo: Ground) -> None:
    smudging(repo)
    now = cycle(repo)
    repo.write("asset.big", "agent\n")
    repo.write("other.big", "agent too\n")
    now.kept()
    assert repo.git("show", "HEAD:asset.big") == b"AGENT\n"
    assert repo.git("show", "HEAD:other.big") == b"AGENT TOO\n"
    assert repo.git("status", "--porcelain") == b""


def test_the_environment_of_checks_and_agents(repo: Ground) -> None:
    from agentops.core.places import Purpose

    now = cycle(repo)
    env = {"BASH_ENV": "/evil", "ENV": "/evil", "AO_PHASE": "implementation"}
    check = now.place.spec(["true"], Purpose.CHECK, env=env, start=now.start)
    agent = now.place.spec(["true"], Purpose.AGENT, env=env, start=now.start)
    assert not {"BASH_ENV", "ENV", "GIT_REFLOG_ACTION"} & check.env.keys()
    assert agent.env["GIT_REFLOG_ACTION"] == "ao:20261130-2304-a1b2.1/1"
    assert check.env["AO_RUN_ID"] == agent.marker == "20261130-2304-a1b2.1"
    assert str(repo.top / ".git/config") in agent.mounts.read_only
    assert str(repo.top / ".git/ao") in check.mounts.read_only
