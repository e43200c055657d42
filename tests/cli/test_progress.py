"""A measurement that lasts says how far it is to whoever watches, and nothing to a program."""

from __future__ import annotations

import os
import pty
import subprocess
from io import StringIO
from pathlib import Path

from agentops.cli import progress
from agentops.cli.voice import Voice
from agentops.core.clock import Instant
from agentops.core.fitness import Goal, GoalOutcome, GoalResult
from tests.cli.conftest import AO, Repo
from tests.twins.time import VirtualClock

SLOW = """\
# G

## Gates

| ID | Check |
|----|-------|
| waits | `until [ -e go ]; do sleep 0.05; done` |
| fails | `touch go; sleep 0.5; false` |
"""


def on_a_terminal(repo: Repo, *words: str) -> tuple[str, str]:
    """What goes to a terminal on stderr, and what to the pipe on stdout."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [AO, *words],
        cwd=repo.path,
        env={**repo.env, "COLUMNS": "70"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
    ) as run:
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 4096):
                seen += piece
        except OSError:
            pass  # the other end is closed
        assert run.stdout is not None
        out = run.stdout.read().decode()
    os.close(ours)
    return seen.decode(), out


def test_a_person_at_a_terminal_sees_one_line_that_is_gone_at_the_end(repo: Repo) -> None:
    repo.commits("slow", GOALS__md=SLOW)
    told, out = on_a_terminal(repo, "goals", "measure")
    assert "of 2 measured" in told and "running: " in told and told.endswith("\r\x1b[K") and "\n" not in told
    assert "waits" in out


def test_json_is_told_nothing(repo: Repo) -> None:
    repo.commits("slow", GOALS__md=SLOW)
    told, out = on_a_terminal(repo, "goals", "measure", "--json")
    assert told == "" and out.startswith("{")


class Ticking(VirtualClock):
    def now(self) -> Instant:
        return Instant(self.seconds, self.seconds)


def test_a_pipe_gets_a_line_now_and_then_and_none_of_what_is_quick(tmp_path: Path) -> None:
    stream, clock = StringIO(), Ticking()
    told = progress._Told(Voice(stream), clock)
    told.began(2)
    for goal in ("a", "b"):
        told.started(Goal(goal, "true", "d"))
    for _ in range(90):
        clock.seconds += 1.0
        told.tick()
    told.ended(GoalResult("a", GoalOutcome.FAIL, 5, 90.0), None)
    told.clear()
    assert stream.getvalue().splitlines() == [
        f"0 of 2 measured · running: a {seconds} s, b {seconds} s" for seconds in (10, 40, 70)
    ]
