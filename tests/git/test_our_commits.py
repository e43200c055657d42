"""Commits of our own under odd conditions: locks, identities, keys, hooks, ignored and big files (C2-29, C2-30)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from agentops.core.errors import EnvironmentUnusable
from agentops.tree import index_lock
from agentops.tree.commits import commit_paths
from agentops.tree.inplace import InPlace
from tests.git.ground import RUN, Ground, cycle

LEDGER = ".agents/evolve/cycle-history.jsonl"


def commit(repo: Ground, *paths: str, limit: int = 20 << 20) -> str | None:
    place = repo.place()
    title = "evolve: cycle 1 -- tests improved"
    return commit_paths(place.repository, place.checkout.git, paths or (LEDGER,), title, limit=limit).sha


def test_a_ledger_commit_leaves_everything_else_of_the_index_alone(repo: Ground) -> None:
    repo.write("b.txt", "staged\n")
    repo.git("add", "b.txt")
    repo.write(LEDGER, "{}\n")
    sha = commit(repo)
    assert repo.git("rev-parse", "HEAD").decode().strip() == sha
    assert repo.git("show", "--format=%s", "--name-only", "HEAD").decode().split("\n")[2] == LEDGER
    assert repo.git("status", "--porcelain") == b"M  b.txt\n"


def test_nothing_is_committed_twice_and_nothing_ignored_or_big(repo: Ground) -> None:
    repo.write(LEDGER, "{}\n")
    assert commit(repo) is not None
    assert commit(repo) is None
    repo.write(".git/info/exclude", "/other.txt\n")
    repo.write("other.txt")
    assert commit(repo, "other.txt") is None
    repo.write(LEDGER, "{}\n" * 1000)
    assert commit(repo, limit=100) is None


def test_a_path_that_a_person_staged_differently_stays_staged(repo: Ground) -> None:
    repo.write(LEDGER, "person\n")
    repo.git("add", LEDGER)
    repo.write(LEDGER, "{}\n")
    assert commit(repo) is not None
    assert repo.git("show", f":{LEDGER}") == b"person\n"


def test_a_deleted_file_is_committed_as_deleted(repo: Ground) -> None:
    (repo.top / "a.txt").unlink()
    assert commit(repo, "a.txt") is not None
    assert repo.git("status", "--porcelain") == b""


def test_a_stale_lock_that_nobody_holds_is_cleared(repo: Ground) -> None:
    lock = repo.write(".git/index.lock", "")
    os.utime(lock, (1, 1))
    repo.write(LEDGER, "{}\n")
    assert commit(repo) is not None
    assert repo.git("status", "--porcelain") == b""


def test_a_lock_of_ours_is_cleared_at_once_when_its_process_is_dead(repo: Ground) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    repo.write(".git/index.lock", f"ao {dead.pid} 1234.00\n")
    repo.write(LEDGER, "{}\n")
    assert commit(repo) is not None


def test_a_lock_that_someone_has_open_is_waited_for_and_never_cleared(repo: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = repo.write(".git/index.lock", "theirs")
    os.utime(lock, (1, 1))
    code = "import sys; held = open(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", code, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        checkout = repo.place().checkout
        with pytest.raises(EnvironmentUnusable, match=r"index\.lock"), index_lock.IndexLock(checkout, patience=0.2):
            pass
        assert lock.read_text() == "theirs"
    finally:
        holder.communicate(b"")
    with index_lock.IndexLock(checkout, patience=0.2):
        assert lock.read_text().startswith("ao ")
    assert not lock.exists()


def test_without_an_identity_work_is_kept_and_it_is_said(repo: Ground) -> None:
    (repo.home / ".gitconfig").unlink()
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    done = now.kept()
    assert repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>") == b"ao <ao@localhost> ao <ao@localhost>\n"
    assert any("identity" in note for note in done.notes)


@pytest.mark.parametrize("kind", ["openpgp", "ssh"])
def test_a_key_that_can_not_sign_alone_leaves_the_commit_unsigned_and_it_is_said(repo: Ground, kind: str) -> None:
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.format", kind)
    repo.git("config", "user.signingkey", "/no/such/key")
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    done = now.kept()
    assert repo.log("-1") == ["work"]
    assert any("unsigned" in note for note in done.notes)
    assert b"gpgsig" not in repo.git("cat-file", "commit", "HEAD")


def test_a_key_that_needs_no_prompt_signs(repo: Ground) -> None:
    key = repo.home / "key"
    made = subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=False, capture_output=True)
    if made.returncode != 0:
        pytest.skip("ssh-keygen is not installed")
    for setting, value in (("commit.gpgsign", "true"), ("gpg.format", "ssh"), ("user.signingkey", str(key))):
        repo.git("config", setting, value)
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.agent_commits("a.txt")
    done = now.taken_back()
    assert b"gpgsig" in repo.git("cat-file", "commit", "HEAD")
    assert not any("unsigned" in note for note in done.notes)


def with_hook(repo: Ground, script: str) -> InPlace:
    hook = repo.write(".git/hooks/pre-commit", f"#!/bin/sh\n{script}\n", 0o755)
    assert hook.exists()
    return InPlace(repo.repository(), repo.door(), repo.place().checkout.clock, RUN, env=repo.env, run_hooks=True)


def test_hooks_run_where_they_are_asked_for(repo: Ground) -> None:
    place = with_hook(repo, "touch $HOME/ran")
    start = place.begin(1)
    repo.write("a.txt", "agent\n")
    place.keep(start, place.effect(start), "work")
    assert (repo.home / "ran").exists()
    assert repo.log("-1") == ["work"]


def test_a_hook_that_refuses_leaves_the_work_in_the_tree(repo: Ground) -> None:
    place = with_hook(repo, "echo too long >&2; exit 1")
    start = place.begin(1)
    repo.write("a.txt", "agent\n")
    done = place.keep(start, place.effect(start), "work")
    assert any("too long" in note for note in done.notes)
    assert repo.log("-1") == ["second"]
    assert repo.git("status", "--porcelain") == b" M a.txt\n"
