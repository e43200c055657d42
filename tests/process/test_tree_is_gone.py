"""Whatever a process starts is gone when its run is over (loop-peers C2-6, 7, 8; I3)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentops.core.processes import Ended, Limits, SandboxLevel
from tests.process.conftest import Rig

HOPPER = """
import os, sys, time
print("hopping", flush=True)
while True:
    if os.fork():
        os._exit(0)
    time.sleep(0.002)
"""


def test_grandchild_that_holds_stdout_does_not_hold_the_run(rig: Rig) -> None:
    done = rig.bash("sleep $TOKEN & echo done")
    assert (done.ended, done.code, done.out, done.survivors) == (Ended.OK, 0, b"done\n", 0)
    assert rig.alive() == []


def test_daemon_that_forked_twice_into_its_own_session_is_ended(rig: Rig) -> None:
    done = rig.bash("(setsid bash -c 'sleep $TOKEN & sleep $TOKEN' &) ; echo done; exit 4")
    assert (done.code, done.out, done.survivors) == (4, b"done\n", 0)
    assert rig.alive() == []


def test_daemon_that_wiped_its_environment_and_closed_its_pipes_is_ended(rig: Rig) -> None:
    done = rig.bash("(env -i setsid sleep $TOKEN <&- >&- 2>&- &) ; exit 0")
    assert (done.code, done.survivors) == (0, 0)
    assert rig.alive() == []


def test_process_that_forks_itself_away_every_two_milliseconds_is_caught(rig: Rig) -> None:
    if rig.level is SandboxLevel.GROUP:
        pytest.skip("only a namespace catches a fork-hopper")
    # The first process ends at once: that is the end of the run, and its descendants must not go on.
    done = rig.python(HOPPER)
    assert (done.code, done.survivors) == (0, 0)
    assert rig.alive() == []


def test_spawner_of_forty_is_ended_with_all_of_them(rig: Rig) -> None:
    scope = rig.stoppable(grace=0)
    done = rig.bash("for i in $(seq 40); do sleep $TOKEN & done; echo ready; wait", scope, lambda _line: rig.stop())
    assert (done.ended, done.survivors) == (Ended.KILLED, 0)
    assert rig.alive() == []


def test_process_that_ignores_sigterm_is_killed_after_its_grace(rig: Rig) -> None:
    scope = rig.stoppable(grace=0.2)
    done = rig.bash("trap '' TERM; echo ready; while :; do sleep $TOKEN; done", scope, lambda _line: rig.stop("enough"))
    assert (done.ended, done.survivors) == (Ended.KILLED, 0)
    assert done.stop is not None and "enough" in done.stop.detail


def test_sigterm_that_is_honoured_ends_the_run_without_waiting_for_the_grace(rig: Rig) -> None:
    # The grace of 300 s is over the test's own time limit: waiting for it fails.
    script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep $TOKEN & wait; done"
    done = rig.bash(script, None, lambda line: rig.stop() if line == b"ready" else None)
    assert (done.ended, done.code, done.out) == (Ended.KILLED, 5, b"ready\nbye\n")


def test_sigterm_reaches_every_process_inside_and_not_only_the_first(rig: Rig) -> None:
    inner = "trap 'echo inner >> heard; exit 0' TERM; echo ready; while :; do sleep $TOKEN & wait; done"
    script = f"trap 'wait; echo outer >> heard; exit 0' TERM; setsid bash -c \"{inner.replace('$', chr(92) + '$')}\" & wait; wait"
    rig.bash(script, None, lambda _line: rig.stop())
    assert sorted((rig.folder / "heard").read_text().split()) == ["inner", "outer"]


def test_stopped_process_hears_the_polite_signal_too(rig: Rig) -> None:
    script = "bash -c 'trap \"echo heard > heard; exit 0\" TERM; echo ready; kill -STOP $$; sleep $TOKEN' & wait"
    rig.bash(f"trap 'wait; exit 0' TERM; {script}; wait", None, lambda _line: rig.stop())
    assert (rig.folder / "heard").read_text() == "heard\n"


def test_failure_of_the_reader_of_lines_leaves_no_process(rig: Rig) -> None:
    def fail(_line: bytes) -> None:
        raise LookupError("reader")

    with pytest.raises(LookupError):
        rig.bash("echo line; sleep $TOKEN", None, fail)
    assert rig.alive() == []


@pytest.mark.parametrize("code", [0, 1, 77, 126, 255])
def test_exit_code_comes_through(rig: Rig, code: int) -> None:
    done = rig.bash(f"exit {code}")
    assert (done.code, done.signal, done.good) == (code, None, code == 0)
    assert done.level is rig.level


def test_kill_from_outside_is_told_from_a_failure(rig: Rig) -> None:
    assert rig.bash("kill -KILL $$").ended is Ended.KILLED
    assert rig.bash("kill -SEGV $$").ended is Ended.ERROR


def test_stdin_of_a_megabyte_arrives_whole_and_hurts_nobody_who_does_not_read(rig: Rig) -> None:
    text = os.urandom(1 << 20)
    assert rig.bash("cat", stdin=text, limits=Limits(head=2 << 20)).out == text
    assert rig.bash("exit 3", stdin=text).code == 3
    assert rig.bash("exec <&-; echo closed", stdin=text).out == b"closed\n"


def test_without_stdin_reading_ends_at_once(rig: Rig) -> None:
    assert rig.bash("cat; echo end").out == b"end\n"


def test_cpu_time_of_the_whole_tree_is_counted(rig: Rig) -> None:
    burn = "python3 -c 'import time; t=time.process_time()\nwhile time.process_time() - t < 0.2: pass'"
    assert rig.bash(f"{burn} & {burn} & wait; true").cpu_seconds >= 0.35


def test_no_zombie_and_no_descriptor_stays_with_us(rig: Rig) -> None:
    def children() -> str:
        return Path(f"/proc/self/task/{os.getpid()}/children").read_text()

    rig.bash("true")
    fds, before = len(os.listdir("/proc/self/fd")), children()
    for script in ("true", "sleep $TOKEN & true", "kill -KILL $$", "no-such-command"):
        rig.bash(script)
    rig.bash("sleep $TOKEN", limits=Limits(total=0.05))
    rig.launcher.run(rig.spec("/no/such/command"), rig.scope)
    assert (len(os.listdir("/proc/self/fd")), children()) == (fds, before)
