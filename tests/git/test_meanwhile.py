"""A person works in the same tree while a cycle runs: what they save, stage and commit is never overwritten (C2-27)."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from agentops.tree import swapping
from tests.git.ground import Ground, cycle


def test_revert_keeps_a_commit_that_someone_else_made_meanwhile(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.agent_commits("a.txt", message="agent one")
    repo.write("person.txt", "person\n")
    repo.person_commits("person.txt")
    repo.write("later.txt", "agent\n")
    repo.agent_commits("later.txt", message="agent two")
    done = now.taken_back()
    assert not done.contested
    assert repo.log("-5") == ["revert: evolve cycle 1 regression", "agent two", "person", "agent one", "second"]
    assert repo.read("a.txt") == b"a.txt at the start\n"
    assert repo.read("person.txt") == b"person\n"
    assert not (repo.top / "later.txt").exists()
    assert repo.git("status", "--porcelain") == b""


def test_a_save_after_the_cycles_end_is_contested_and_stays(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("b.txt", "agent\n")
    repo.write("new.txt", "agent\n")
    effect = now.effect()
    repo.write("a.txt", "person\n")
    repo.write("new.txt", "person\n")
    done = now.place.take_back(now.start, effect)
    assert done.contested == {"a.txt", "new.txt"}
    assert (repo.read("a.txt"), repo.read("new.txt")) == (b"person\n", b"person\n")
    assert repo.read("b.txt") == b"b.txt at the start\n"


def test_a_file_that_a_person_deletes_after_the_cycle_stays_deleted(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    effect = now.effect()
    (repo.top / "a.txt").unlink()
    assert now.place.take_back(now.start, effect).contested == {"a.txt"}
    assert not (repo.top / "a.txt").exists()


def test_a_new_file_of_a_persons_in_a_folder_that_the_cycle_made_stays(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("fresh/agent.txt")
    effect = now.effect()
    repo.write("fresh/person.txt", "person\n")
    assert not now.place.take_back(now.start, effect).contested
    assert os.listdir(repo.top / "fresh") == ["person.txt"]


def test_what_a_person_stages_after_the_cycle_stays_staged(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.agent_commits("a.txt")
    effect = now.effect()
    repo.write("c.txt", "person\n")
    repo.git("add", "c.txt")
    assert not now.place.take_back(now.start, effect).contested
    assert repo.git("status", "--porcelain") == b"M  c.txt\n"


def test_a_commit_of_both_on_one_path_is_contested_and_stays(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("b.txt", "agent\n")
    repo.agent_commits("a.txt", "b.txt")
    repo.write("a.txt", "agent and person\n")
    repo.person_commits("a.txt")
    done = now.taken_back()
    assert done.contested == {"a.txt"}
    assert repo.read("a.txt") == b"agent and person\n"
    assert repo.git("show", "HEAD:a.txt") == b"agent and person\n"
    assert repo.read("b.txt") == b"b.txt at the start\n"


def test_a_commit_after_the_cycles_end_stays_on_top(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.agent_commits("a.txt")
    effect = now.effect()
    repo.write("person.txt", "person\n")
    repo.person_commits("person.txt")
    done = now.place.take_back(now.start, effect)
    assert not done.contested
    assert repo.log("-3") == ["revert: evolve cycle 1 regression", "person", "agent"]
    assert repo.git("status", "--porcelain") == b""
    assert repo.read("person.txt") == b"person\n"


def test_a_person_who_commits_their_own_unfinished_work_meanwhile_keeps_it(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.person_commits("b.txt")
    effect = now.effect()
    assert set(effect.paths) == {"a.txt"}
    assert not now.place.take_back(now.start, effect).contested
    assert repo.log("-1") == ["person"]
    assert repo.git("status", "--porcelain") == b""


@pytest.mark.parametrize("rewrite", ["reset", "amend"])
def test_a_commit_on_top_of_a_rewritten_start_is_contested_and_nothing_moves(repo: Ground, rewrite: str) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    if rewrite == "reset":
        repo.agent("reset", "-q", "--hard", "HEAD~1")
    else:
        repo.agent("commit", "-q", "-a", "--amend", "-m", "amended")
    repo.write("person.txt", "person\n")
    repo.person_commits("person.txt")
    before = repo.look()
    done = now.taken_back()
    assert done.contested
    assert repo.look() == before


def test_a_persons_commit_that_the_agent_throws_away_is_not_thrown_away_by_us(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("person.txt", "person\n")
    repo.person_commits("person.txt")
    repo.agent("reset", "-q", "--hard", "HEAD~1")
    effect = now.effect()
    assert len(effect.foreign) == 1
    assert effect.foreign == now.place.foreign_head(now.start)


def test_keeping_commits_nothing_that_a_person_saved_meanwhile(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("b.txt", "agent\n")
    effect = now.effect()
    repo.write("b.txt", "person\n")
    repo.write("c.txt", "person\n")
    repo.git("add", "c.txt")
    done = now.place.keep(now.start, effect, "work")
    assert done.contested == {"b.txt"}
    assert repo.git("show", "--format=", "--name-only", "HEAD") == b"a.txt\n"
    assert repo.git("status", "--porcelain") == b" M b.txt\nM  c.txt\n"
    assert repo.read("b.txt") == b"person\n"


def test_bringing_back_overwrites_nothing_that_a_person_saved_meanwhile(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("b.txt", "agent\n")
    effect = now.effect()
    now.place.set_aside(now.start, effect)
    repo.write("b.txt", "person\n")
    assert now.place.bring_back(now.start, effect) == {"b.txt"}
    assert (repo.read("a.txt"), repo.read("b.txt")) == (b"agent\n", b"person\n")


def test_changes_after_the_last_sign_of_life_are_named(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("early.txt", "agent\n")
    os.utime(repo.top / "early.txt", (1, 1))
    (repo.top / "a.txt").unlink()
    wall = max(os.lstat(repo.top / "early.txt").st_ctime, os.lstat(repo.top).st_mtime)
    assert now.place.changed_after(now.start, wall) == frozenset()
    assert now.place.changed_after(now.start, wall - 3600) == {"early.txt", "a.txt"}
    later = repo.write("chapter2.md", "person\n")
    os.utime(later, (wall + 3600, wall + 3600))
    assert now.place.changed_after(now.start, wall + 1800) == {"chapter2.md"}


def test_what_checks_changed_is_put_back_and_what_a_person_committed_is_not(repo: Ground) -> None:
    repo.write("note.txt", "mine\n")
    now = cycle(repo)
    repo.write("a.txt", "check\n")
    repo.write("cache.txt", "check\n")
    (repo.top / "note.txt").unlink()
    repo.write("b.txt", "person\n")
    repo.person_commits("b.txt")
    assert now.place.tidy(now.start.pre) == {"a.txt", "cache.txt", "note.txt"}
    assert repo.read("b.txt") == b"person\n"
    assert repo.read("note.txt") == b"mine\n"
    assert repo.git("status", "--porcelain") == b"?? note.txt\n"
    assert repo.git("show", "refs/ao/20261130-2304-a1b2.1/1/mutated:a.txt") == b"check\n"


def test_snapshots_are_the_same_whatever_happens_below_agents(repo: Ground) -> None:
    now = cycle(repo)
    repo.write(".agents/evolve/cycle-history.jsonl", "{}\n")
    other = now.place.begin(2)
    assert now.place.same(now.start.pre, other.pre)
    repo.write("a.txt", "other\n")
    assert not now.place.same(now.start.pre, now.place.begin(3).pre)


def at_the_last_moment(monkeypatch: pytest.MonkeyPatch, act: str, save: Callable[[], object]) -> None:
    """A person saves between our last look and this act of ours, which itself stays as it is."""
    real = getattr(swapping, act)

    def late(*names: bytes) -> bool:
        monkeypatch.setattr(swapping, act, real)
        save()
        return bool(real(*names))

    monkeypatch.setattr(swapping, act, late)


def test_a_save_between_the_last_look_and_the_rename_comes_back_on_top(repo: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    effect = now.effect()
    at_the_last_moment(monkeypatch, "swap", lambda: repo.write("a.txt", "saved in the last moment\n"))
    assert now.place.take_back(now.start, effect).contested == {"a.txt"}
    assert (repo.top / "a.txt").read_text() == "saved in the last moment\n"


def test_a_save_before_a_removal_is_not_removed(repo: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    now = cycle(repo)
    repo.write("new.txt", "agent\n")
    effect = now.effect()
    at_the_last_moment(monkeypatch, "move_if_free", lambda: repo.write("new.txt", "saved in the last moment\n"))
    assert now.place.take_back(now.start, effect).contested == {"new.txt"}
    assert (repo.top / "new.txt").read_text() == "saved in the last moment\n"


def test_a_save_where_a_deleted_file_was_to_come_back_stays(repo: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    now = cycle(repo)
    (repo.top / "a.txt").unlink()
    effect = now.effect()
    at_the_last_moment(monkeypatch, "move_if_free", lambda: repo.write("a.txt", "saved in the last moment\n"))
    assert now.place.take_back(now.start, effect).contested == {"a.txt"}
    assert (repo.top / "a.txt").read_text() == "saved in the last moment\n"


def test_configuration_that_is_saved_at_the_last_moment_stays(repo: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    now = cycle(repo)
    repo.git("config", "user.name", "Agent")
    effect = now.effect()
    at_the_last_moment(monkeypatch, "swap", lambda: repo.git("config", "user.name", "Person"))
    assert now.place.take_back(now.start, effect).contested == {".git/config"}
    assert repo.git("config", "user.name") == b"Person\n"


def test_a_hook_that_a_person_puts_in_place_of_the_cycles_at_the_last_moment_stays(
    repo: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = cycle(repo)
    repo.write(".git/hooks/pre-push", "the agent's\n")
    effect = now.effect()
    at_the_last_moment(monkeypatch, "move_if_free", lambda: repo.write(".git/hooks/pre-push", "the person's\n"))
    assert now.place.take_back(now.start, effect).contested == {".git/hooks/pre-push"}
    assert repo.read(".git/hooks/pre-push") == b"the person's\n"
