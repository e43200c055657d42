"""Whatever a cycle's agent does to git, taking it back reaches the start again (loop-peers C2-28)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.git.ground import Ground, cycle

Act = Callable[[Ground], object]


def nothing(repo: Ground) -> None:
    del repo


def one_commit(repo: Ground) -> None:
    repo.write("a.txt", "agent\n")
    repo.write("new/file.txt")
    repo.agent_commits("a.txt", "new")


def many_commits(repo: Ground) -> None:
    for number in range(3):
        repo.write("a.txt", f"agent {number}\n")
        repo.write(f"new{number}.txt")
        repo.agent("rm", "-q", "b.txt")
        repo.agent_commits()


def leftovers(repo: Ground) -> None:
    one_commit(repo)
    repo.write("left.txt")
    repo.write("src/one.py", "half done\n")
    (repo.top / "docs/read.md").unlink(missing_ok=True)


def merge(repo: Ground) -> None:
    repo.agent("checkout", "-q", "-b", "side")
    repo.write("side.txt")
    repo.agent_commits("side.txt")
    repo.agent("checkout", "-q", "main")
    repo.write("a.txt", "main\n")
    repo.agent_commits("a.txt")
    repo.agent("merge", "-q", "--no-ff", "-m", "merge", "side")


def merge_left_open(repo: Ground) -> None:
    repo.agent("checkout", "-q", "-b", "side")
    repo.write("a.txt", "side\n")
    repo.agent_commits("a.txt")
    repo.agent("checkout", "-q", "main")
    repo.write("a.txt", "main\n")
    repo.agent_commits("a.txt")
    repo.agent("merge", "-q", "side")


def amend(repo: Ground) -> None:
    repo.write("c.txt", "amended\n")
    repo.agent("commit", "-q", "-a", "--amend", "-m", "amended")


def amend_own(repo: Ground) -> None:
    one_commit(repo)
    repo.write("a.txt", "again\n")
    repo.agent("commit", "-q", "-a", "--amend", "-m", "amended")


def rebase(repo: Ground) -> None:
    one_commit(repo)
    repo.agent("rebase", "-q", "--onto", "HEAD~2", "HEAD~1")


def switch_branch(repo: Ground) -> None:
    repo.agent("checkout", "-q", "-b", "feature")
    one_commit(repo)


def detach(repo: Ground) -> None:
    repo.agent("checkout", "-q", "--detach")
    one_commit(repo)


def detach_back(repo: Ground) -> None:
    repo.agent("checkout", "-q", "--detach", "HEAD~1")


def delete_branch(repo: Ground) -> None:
    repo.agent("checkout", "-q", "-b", "other")
    one_commit(repo)
    repo.agent("branch", "-q", "-D", "main")


def reset_hard(repo: Ground) -> None:
    repo.agent("reset", "-q", "--hard", "HEAD~1")


def reset_hard_and_commit(repo: Ground) -> None:
    reset_hard(repo)
    one_commit(repo)


def leave_the_start_and_collect_garbage(repo: Ground) -> None:
    """A tree that a snapshot refers to keeps no commit alive: the person's last one was gone (torture, seed 417)."""
    repo.agent("reset", "-q", "--soft", "HEAD~1")
    repo.agent("gc", "-q", "--prune=now")


def stash(repo: Ground) -> None:
    repo.write("a.txt", "agent\n")
    repo.agent("stash", "-q", "-u")


def clean_all(repo: Ground) -> None:
    repo.agent("clean", "-q", "-f", "-d", "-x")


def add_all(repo: Ground) -> None:
    repo.write("a.txt", "agent\n")
    repo.agent("add", "-A")
    repo.agent("commit", "-q", "--allow-empty", "-m", "all")


def stage_only(repo: Ground) -> None:
    repo.write("a.txt", "staged by the agent\n")
    repo.write("new.txt")
    repo.agent("add", "-A")


def unstage(repo: Ground) -> None:
    repo.agent("reset", "-q")


def kinds(repo: Ground) -> None:
    """Files become folders, folders files, links files and the other way."""
    (repo.top / "a.txt").unlink()
    repo.write("a.txt/inside.txt")
    repo.agent("rm", "-q", "-r", "-f", "src")
    repo.write("src", "a file now\n")
    (repo.top / "link").unlink()
    repo.write("link", "no link\n")
    (repo.top / "b.txt").unlink()
    (repo.top / "b.txt").symlink_to("/etc/hostname")
    (repo.top / "run.sh").chmod(0o644)


def kinds_committed(repo: Ground) -> None:
    kinds(repo)
    repo.agent_commits()


def link_out_of_the_tree(repo: Ground) -> None:
    outside = repo.home / "outside"
    outside.mkdir()
    (outside / "one.py").write_text("not ours\n")
    repo.agent("rm", "-q", "-r", "-f", "src")
    (repo.top / "src").symlink_to(outside)


def ignore_rules(repo: Ground) -> None:
    repo.write(".gitignore", "docs/\nsrc/deep/\nnote*\n")


def ignore_nothing(repo: Ground) -> None:
    repo.write(".gitignore", "")


def empty_folders(repo: Ground) -> None:
    (repo.top / "fresh/empty").mkdir(parents=True)


ACTS = (
    nothing, one_commit, many_commits, leftovers, merge, merge_left_open, amend, amend_own, rebase, switch_branch, detach,
    detach_back, delete_branch, reset_hard, reset_hard_and_commit,
    leave_the_start_and_collect_garbage, stash, clean_all, add_all, stage_only, unstage, kinds,
    kinds_committed, link_out_of_the_tree, ignore_rules, ignore_nothing, empty_folders,
)  # fmt: skip


def dirty(repo: Ground) -> None:
    """A person's tree as it really is."""
    repo.write("b.txt", "mine, not finished\n")
    repo.write("c.txt", "staged\n")
    repo.git("add", "c.txt")
    repo.write("c.txt", "staged, and changed again\r\n")
    repo.write("note.txt", "untracked\n", 0o600)
    repo.write("notes/deep/er.txt", "untracked too\n")
    repo.write(".env", "TOKEN=0123456789\n", 0o600)
    repo.write("run.log", "ignored\n")
    repo.write("secret/plan.md", "ignored folder\n")
    repo.write("build/out.o", "heavy\n")
    (repo.top / "docs/read.md").unlink()
    repo.write("new.md", "intended\n")
    repo.git("add", "-N", "new.md")
    (repo.top / "empty").mkdir()


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_taking_back_reaches_a_clean_start(repo: Ground, act: Act) -> None:
    now = cycle(repo)
    act(repo)
    done = now.taken_back()
    assert not done.contested, done
    now.is_as_before()


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_taking_back_reaches_a_dirty_start(repo: Ground, act: Act) -> None:
    dirty(repo)
    now = cycle(repo)
    act(repo)
    kept = (repo.top / "build/out.o").exists()
    done = now.taken_back()
    assert not done.contested, done
    if not kept:  # an ignored build folder is what the contract leaves to its tool (evolve.md section 6)
        repo.write("build/out.o", "heavy\n")
    now.is_as_before()


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_setting_aside_shows_the_start_and_bringing_back_the_work(repo: Ground, act: Act) -> None:
    dirty(repo)
    now = cycle(repo)
    act(repo)
    repo.write("build/out.o", "heavy\n")
    effect = now.effect()
    work = repo.look()
    assert now.place.set_aside(now.start, effect) == frozenset()
    now.is_as_before()
    assert now.place.bring_back(now.start, effect) == frozenset()
    assert now.place.post_still_equal(effect)
    assert work.files == repo.look().files


def test_a_start_that_was_left_and_whose_reflog_is_gone_is_still_a_commit_that_can_be_reached(repo: Ground) -> None:
    now = cycle(repo)
    repo.agent("reset", "-q", "--soft", "HEAD~1")
    repo.agent("reflog", "expire", "--expire=now", "--all")
    repo.agent("gc", "-q", "--prune=now")
    now.effect()
    assert repo.git("cat-file", "-t", now.start.pre.head).strip() == b"commit"
