"""Recovery ends what a crash left behind, and nobody else (loop-peers B-O3, O7, O8)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentops.host import survivors, trees
from agentops.host.clock import SystemClock
from agentops.host.detach import start_detached
from agentops.host.scope import StopScope
from tests.process.conftest import Rig


@pytest.fixture
def left_behind(strong: Rig) -> Iterator[subprocess.Popen[bytes]]:
    """A process that carries our mark and says when it is ready."""
    env = {**os.environ, "AO_RUN_ID": f"test-{strong.token}.2"}
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); signal.pause()"
    running = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE)
    assert running.stdout is not None and running.stdout.readline()
    yield running
    running.kill()
    running.wait()


def test_survivors_of_every_run_of_a_session_are_found_and_ended_even_deaf_ones(
    strong: Rig, left_behind: subprocess.Popen[bytes]
) -> None:
    found = survivors.marked(f"test-{strong.token}")
    assert [one.pid for one in found] == [left_behind.pid]
    assert survivors.marked(f"test-{strong.token}.1") == ()
    assert survivors.end(found, StopScope(SystemClock()), 0.1) == 0
    assert strong.alive() == []


def test_process_id_that_now_belongs_to_someone_else_is_left_alone(strong: Rig, left_behind: subprocess.Popen[bytes]) -> None:
    (found,) = survivors.marked(f"test-{strong.token}")
    assert survivors.end([replace(found, start=found.start - 1)], SystemClock(), 0.1) == 0
    assert not trees.signal_one(replace(found, start=found.start - 1), signal.SIGKILL)
    assert left_behind.poll() is None


def test_we_are_not_our_own_survivor(strong: Rig) -> None:
    code = "import sys; from agentops.host import survivors; print(survivors.marked(sys.argv[1]))"
    mark = f"test-{strong.token}"
    env = {**os.environ, "AO_RUN_ID": mark, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    assert subprocess.run([sys.executable, "-c", code, mark], env=env, stdout=subprocess.PIPE, check=True).stdout == b"()\n"


def test_detached_process_has_its_own_session_and_keeps_its_words_in_a_private_log(strong: Rig) -> None:
    log = strong.folder / "logs" / "night.log"
    code = "import os; print(os.getsid(0) == os.getpid(), os.read(0, 1), flush=True); raise SystemExit('over')"
    env = {**os.environ, "AO_RUN_ID": f"test-{strong.token}"}
    pid = start_detached([sys.executable, "-c", code], str(strong.folder), env, str(log))
    os.waitpid(pid, 0)
    assert log.read_text() == "True b''\nover\n"
    assert log.stat().st_mode & 0o777 == 0o600
