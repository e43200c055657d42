"""The twin of a place keeps the promises of the person's checkout: one suite, run on both."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from agentops.core.places import Change
from agentops.evolve.parts import LoopPlace
from agentops.host.clock import SystemClock
from agentops.host.environment import clean_environment
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.tree.inplace import InPlace
from agentops.tree.repository import discover
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock


class Ground(Protocol):
    """A tree that the suite can write in, as the cycle or as somebody else."""

    place: LoopPlace

    def write(self, path: str, content: bytes | None) -> None: ...

    def read(self, path: str) -> bytes | None: ...

    def commit(self, cycle: int | None) -> None: ...

    def now(self) -> float: ...


class TwinGround:
    def __init__(self, folder: Path) -> None:
        self.clock = VirtualClock()
        self.tree = TwinPlace(self.clock)
        self.place: LoopPlace = self.tree

    def write(self, path: str, content: bytes | None) -> None:
        self.clock.pass_(1.0)
        self.tree.write(path, content)

    def read(self, path: str) -> bytes | None:
        return self.tree.files.get(path)

    def commit(self, cycle: int | None) -> None:
        self.tree.commit(mine=cycle is not None)

    def now(self) -> float:
        return self.clock.now().wall


@dataclass
class RealGround:
    folder: Path

    def __post_init__(self) -> None:
        names = {f"GIT_{who}_{what}": f"{who}@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.env = {**clean_environment(os.environ)[0], **names}
        self.git("init", "-q", "-b", "main")
        self.git("commit", "-q", "--allow-empty", "-m", "start")
        self.clock = SystemClock()
        host = Launcher(self.clock)
        door = Git(host, StopScope(self.clock), str(self.folder), self.env)
        self.place: LoopPlace = InPlace(discover(door, str(self.folder), self.env), door, self.clock, "run", env=self.env)

    def git(self, *words: str, mark: str = "") -> None:
        env = {**self.env, **({"GIT_REFLOG_ACTION": mark} if mark else {})}
        subprocess.run(["git", *words], cwd=self.folder, env=env, check=True, capture_output=True)

    def write(self, path: str, content: bytes | None) -> None:
        file = self.folder / path
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)

    def read(self, path: str) -> bytes | None:
        file = self.folder / path
        return file.read_bytes() if file.exists() else None

    def commit(self, cycle: int | None) -> None:
        mark = f"ao:run/{cycle}" if cycle is not None else ""
        self.git("add", "-A", mark=mark)
        self.git("commit", "-q", "--allow-empty", "-m", "work", mark=mark)

    def now(self) -> float:
        return self.clock.now().wall


@pytest.fixture(params=[TwinGround, RealGround], ids=["twin", "real"])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    make: Callable[[Path], Ground] = request.param
    return make(tmp_path)


def test_an_effect_names_every_change_and_nothing_else(ground: Ground) -> None:
    ground.write("a", b"1")
    ground.write("b", b"1")
    start = ground.place.begin(1)
    ground.write("a", b"2")
    ground.write("b", None)
    ground.write("c", b"3")
    effect = ground.place.effect(start)
    assert effect.paths == {"a": Change.MODIFIED, "b": Change.DELETED, "c": Change.ADDED} and not effect.empty


def test_a_cycle_that_did_nothing_has_an_empty_effect(ground: Ground) -> None:
    ground.write("a", b"1")
    assert ground.place.effect(ground.place.begin(1)).empty


def test_take_back_restores_the_start_and_may_be_done_twice(ground: Ground) -> None:
    ground.write("a", b"mine")
    start = ground.place.begin(1)
    ground.write("a", b"theirs")
    ground.write("new", b"x")
    effect = ground.place.effect(start)
    for _ in range(2):
        assert ground.place.take_back(start, effect).contested == frozenset()
        assert (ground.read("a"), ground.read("new")) == (b"mine", None)


def test_what_someone_saved_after_the_cycle_is_contested_and_stays(ground: Ground) -> None:
    ground.write("a", b"start")
    start = ground.place.begin(1)
    ground.write("a", b"cycle")
    effect = ground.place.effect(start)
    ground.write("a", b"person")
    assert ground.place.take_back(start, effect).contested == {"a"} and ground.read("a") == b"person"


def test_keep_leaves_the_work_where_it_is_and_may_be_done_twice(ground: Ground) -> None:
    start = ground.place.begin(1)
    ground.write("a", b"work")
    effect = ground.place.effect(start)
    first = ground.place.keep(start, effect, "title")
    again = ground.place.keep(start, effect, "title")
    assert first.sha == again.sha != start.pre.head and ground.read("a") == b"work"


def test_set_aside_and_bring_back_are_inverse(ground: Ground) -> None:
    ground.write("a", b"start")
    start = ground.place.begin(1)
    ground.write("a", b"work")
    ground.commit(1)
    ground.write("b", b"more")
    effect = ground.place.effect(start)
    assert effect.commits and not effect.foreign
    assert ground.place.set_aside(start, effect) == frozenset()
    assert (ground.read("a"), ground.read("b")) == (b"start", None)
    assert ground.place.bring_back(start, effect) == frozenset()
    assert (ground.read("a"), ground.read("b")) == (b"work", b"more")
    assert ground.place.post_still_equal(effect)


def test_a_foreign_commit_is_told_from_the_cycles_own(ground: Ground) -> None:
    start = ground.place.begin(1)
    ground.write("a", b"cycle")
    ground.commit(1)
    ground.write("b", b"person")
    ground.commit(None)
    effect = ground.place.effect(start)
    assert (len(effect.commits), len(effect.foreign)) == (1, 1) and ground.place.foreign_head(start)


def test_tidy_puts_back_what_a_check_changed_and_leaves_what_it_is_told_to(ground: Ground) -> None:
    ground.write("a", b"1")
    start = ground.place.begin(1)
    assert ground.place.tidy(start.pre) == frozenset()
    ground.write("a", b"2")
    ground.write("cache", b"x")
    ground.write("ours", b"x")
    assert ground.place.tidy(start.pre, frozenset({"ours"})) == {"a", "cache"}
    assert (ground.read("a"), ground.read("cache"), ground.read("ours")) == (b"1", None, b"x")


def test_two_snapshots_are_the_same_only_while_no_file_differs(ground: Ground) -> None:
    ground.write("a", b"1")
    one, other = ground.place.begin(1), ground.place.begin(1)
    assert ground.place.same(one.pre, other.pre)
    ground.write("a", b"2")
    assert not ground.place.same(one.pre, ground.place.begin(1).pre)


def test_recovery_sees_what_changed_after_the_last_sign_of_life(ground: Ground) -> None:
    ground.write("old", b"1")
    start = ground.place.begin(1)
    ground.write("old", b"2")
    beat = ground.now()
    assert ground.place.changed_after(start, beat + 3600.0) == frozenset()
    assert "old" in ground.place.changed_after(start, beat - 3600.0)
