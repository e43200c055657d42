"""Words to a session: last night's must not cancel this one, a person's own stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentops.app.opening import Here, open_here
from agentops.app.stopping import forget_fulfilled_stop, forget_own_stop, stop
from agentops.host.locks import FileLock
from tests.git.ground import Ground


@pytest.fixture
def here(tmp_path: Path) -> Here:
    (tmp_path / "top").mkdir()
    (tmp_path / "home").mkdir()
    ground = Ground(tmp_path / "top", tmp_path / "home")
    ground.git("init", "--quiet", "--initial-branch=main")
    ground.git("config", "user.name", "Person")
    ground.git("config", "user.email", "person@localhost")
    ground.write("a")
    ground.person_commits("a")
    return open_here(str(tmp_path / "top"), {**os.environ, "HOME": str(tmp_path / "home")})


def _stop_file(here: Here) -> Path:
    return Path(here.repository.top, ".agents/evolve/STOP")


def test_a_stop_for_a_session_that_was_killed_does_not_stop_the_next_one(here: Here) -> None:
    lock = FileLock(here.lock, here.clock)
    assert lock.take()
    stop(here, after_cycle=False, clear=False)
    assert forget_fulfilled_stop(here) is None, "it is meant for whoever holds the lease"
    assert _stop_file(here).exists()
    lock.release()
    assert "is over" in str(forget_fulfilled_stop(here))
    assert not _stop_file(here).exists()


def test_a_session_takes_every_word_that_was_meant_for_it_along(here: Here) -> None:
    lock = FileLock(here.lock, here.clock)
    assert lock.take()
    stop(here, after_cycle=True, clear=False)
    forget_own_stop(here)
    assert not _stop_file(here).exists()
    lock.release()


@pytest.mark.parametrize("kind", ["empty", "words", "folder", "pipe", "session word"])
def test_what_a_person_made_by_hand_stays(here: Here, kind: str) -> None:
    path = _stop_file(here)
    path.parent.mkdir(parents=True)
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text({"empty": "", "words": "on holiday\n", "session word": "session is over\n"}[kind])
    assert forget_fulfilled_stop(here) is None
    forget_own_stop(here)
    assert os.path.lexists(path)
