"""What can't be stored is named at the start, and moved out of the way, never deleted, when a cycle is taken back."""

from __future__ import annotations

import os

from agentops.core.places import Change
from agentops.tree.ignored import BIGGEST
from tests.git.ground import RUN, Ground, cycle


def big(repo: Ground, path: str) -> None:
    repo.write(path, "")
    os.truncate(repo.top / path, BIGGEST + 1)


def test_a_persons_big_file_is_named_and_left_alone(repo: Ground) -> None:
    big(repo, "data.bin")
    now = cycle(repo)
    assert now.start.pre.beyond == ("data.bin",)
    repo.write("a.txt", "agent\n")
    assert set(now.effect().paths) == {"a.txt"}
    now.taken_back()
    now.is_as_before()


def test_a_big_file_of_the_cycles_is_moved_aside_and_comes_back(repo: Ground) -> None:
    now = cycle(repo)
    big(repo, "made/data.bin")
    effect = now.effect()
    assert effect.paths == {"made/data.bin": Change.ADDED}
    assert now.place.set_aside(now.start, effect) == frozenset()
    now.is_as_before()
    assert now.place.bring_back(now.start, effect) == frozenset()
    assert (repo.top / "made/data.bin").stat().st_size == BIGGEST + 1
    done = now.place.take_back(now.start, effect)
    now.is_as_before()
    assert any("moved to" in note for note in done.notes)
    assert (repo.top / f".git/ao/aside/{RUN}/1/made%2Fdata.bin").stat().st_size == BIGGEST + 1


def test_a_repository_that_the_cycle_cloned_is_moved_aside_whole(repo: Ground) -> None:
    now = cycle(repo)
    repo.agent("clone", "-q", str(repo.top), str(repo.top / "vendor/lib"), check=True)
    done = now.taken_back()
    assert not done.contested
    now.is_as_before()
    assert (repo.top / f".git/ao/aside/{RUN}/1/vendor%2Flib/.git/HEAD").exists()


def test_an_overwritten_big_file_is_named_as_lost(repo: Ground) -> None:
    big(repo, "data.bin")
    now = cycle(repo)
    repo.write("data.bin", "agent\n")
    done = now.taken_back()
    assert any("data.bin" in note for note in (*done.notes, *done.contested))
    assert (repo.top / "data.bin").exists()
