"""Told to stop, a run ends, wherever it is (loop-peers C2-2, 3, 5)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentops.core.processes import Ended, Exit, Limits, SandboxLevel
from agentops.core.stops import StopReason
from agentops.host.scope import StopFile, StopScope
from tests.process.conftest import Rig

WAITING = "echo ready; exec sleep $TOKEN"


@pytest.mark.parametrize("kind", ["file", "folder", "dangling", "unreadable", "pipe"])
def test_anything_at_the_stop_files_path_stops_a_run(strong: Rig, kind: str) -> None:
    path = strong.folder / "STOP"

    def put(_line: bytes) -> None:
        match kind:
            case "file":
                path.touch()
            case "folder":
                path.mkdir()
            case "dangling":
                path.symlink_to("/no/such/place")
            case "unreadable":
                path.touch(0o000)
            case "pipe":
                os.mkfifo(path)

    done = strong.bash(WAITING, None, put)
    assert done.ended is Ended.KILLED
    assert done.stop is not None and done.stop.reason is StopReason.KILL_SWITCH


def test_stop_during_a_plain_command_ends_it(strong: Rig) -> None:
    done = strong.bash(WAITING, None, lambda _line: strong.stop(), contained=False)
    assert (done.ended, done.signal, done.level) == (Ended.KILLED, signal.SIGTERM, SandboxLevel.OFF)


def test_kill_file_shortens_the_grace_of_an_earlier_stop(rig: Rig) -> None:
    scope = StopScope(rig.clock, [StopFile(str(rig.folder / "STOP"), 300), StopFile(str(rig.folder / "KILL"), 0)])

    def on_line(line: bytes) -> None:
        rig.stop(name="STOP" if line == b"ready" else "KILL")

    done = rig.bash("trap 'echo no' TERM; echo ready; while :; do sleep $TOKEN & wait; done", scope, on_line)
    assert (done.ended, done.out) == (Ended.KILLED, b"ready\nno\n")


def test_deadline_of_a_scope_ends_a_run_and_says_so(strong: Rig) -> None:
    done = strong.bash(WAITING, strong.scope.within(0.2))
    assert done.stop is not None and done.stop.reason is StopReason.DEADLINE


def test_nothing_is_started_in_a_stopped_scope(strong: Rig) -> None:
    strong.stop("not today")
    done = strong.bash("touch started")
    assert (done.ended, done.code) == (Ended.KILLED, None) and done.stop is not None
    assert not (strong.folder / "started").exists()


def test_closing_scope_lets_a_run_finish_after_a_first_stop(strong: Rig) -> None:
    strong.stop()
    assert strong.bash("echo settled", strong.scope.closing()).out == b"settled\n"


SIGNALLED = """
import os, sys
from agentops.core.processes import SandboxLevel, Spec
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals
clock = SystemClock()
script = "trap 'echo heard' TERM; echo ready; while :; do sleep $TOKEN & wait; done"
with Signals() as signals:
    scope = StopScope(clock, signals=signals)
    if sys.argv[3] == "closing":
        scope = scope.closing()
    spec = Spec(("bash", "-c", script), "/", {**os.environ, "TOKEN": sys.argv[2]}, marker=f"test-{sys.argv[2]}")
    done = Launcher(clock, SandboxLevel(sys.argv[1])).run(spec, scope, lambda line: print(line.decode(), flush=True))
print(done.ended, done.stop.detail, int(done.stop.exit_code), done.stop.grace, done.survivors, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_first_signal_asks_and_the_second_kills_at_once(
    rig: Rig, driver: Callable[..., subprocess.Popen[bytes]], number: signal.Signals
) -> None:
    if number is not signal.SIGINT and rig.level is not SandboxLevel.BWRAP:
        pytest.skip("one signal is enough at the other levels")
    running = driver(SIGNALLED, rig.level, rig.token, "")
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    running.send_signal(number)
    assert running.stdout.readline() == b"heard\n"
    running.send_signal(number)
    ended = running.stdout.read().decode().split()
    assert ended == ["killed", number.name, str(128 + number), "1.5", "0"]
    assert running.wait() == 0


def test_closing_scope_is_ended_by_the_second_signal_only(strong: Rig, driver: Callable[..., subprocess.Popen[bytes]]) -> None:
    running = driver(SIGNALLED, strong.level, strong.token, "closing")
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGTERM)
    assert running.stdout.read().decode().split() == ["killed", "SIGINT", "130", "0.0", "0"]
    running.wait()


KILLED = """
import os, sys
from agentops.core.processes import SandboxLevel, Spec
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
daemons = "for i in 1 2 3 4 5; do (setsid bash -c 'sleep $TOKEN; sleep $TOKEN' &); done"
script = f"trap '' TERM HUP; {daemons}; echo ready; sleep $TOKEN; sleep $TOKEN"
spec = Spec(("bash", "-c", script), "/", {**os.environ, "TOKEN": sys.argv[2]}, marker=f"test-{sys.argv[2]}")
Launcher(clock, SandboxLevel(sys.argv[1])).run(spec, StopScope(clock), lambda line: print(line.decode(), flush=True))
"""


def test_sigkill_of_the_launcher_takes_the_whole_tree_with_it(rig: Rig, driver: Callable[..., subprocess.Popen[bytes]]) -> None:
    running = driver(KILLED, rig.level, rig.token)
    assert running.stdout is not None and running.stdout.readline() == b"ready\n"
    tree = [pid for pid in rig.alive() if pid != running.pid]
    assert len(tree) >= 6
    running.kill()
    running.wait()
    for pid in tree:
        rig.gone(pid)


def test_stop_ends_all_that_run_side_by_side_and_starts_no_more(rig: Rig) -> None:
    script = "touch $0.started; [ $0 = 0 ] && exit 0; exec sleep $TOKEN"
    specs = (rig.spec("bash", "-c", script, str(number)) for number in range(6))
    ended: dict[int, Exit] = {}
    scope = StopScope(rig.clock, [StopFile(str(rig.folder / "STOP"), 0)], poll=0)
    for index, done in rig.launcher.run_all(specs, scope, 3):
        ended[index] = done
        rig.stop()
    assert ended[0].ended is Ended.OK
    assert {index: done.ended for index, done in ended.items() if index} == {1: Ended.KILLED, 2: Ended.KILLED}
    assert not list(Path(rig.folder).glob("[345].started"))


def test_never_more_than_the_slots_run_at_once(strong: Rig) -> None:
    script = "mkdir -p in; : > in/$0; ls in | wc -l; sleep 0.05; rm in/$0; exit $0"
    specs = [strong.spec("bash", "-c", script, str(number)) for number in range(8)]
    ended = dict(strong.launcher.run_all(specs, strong.scope, 3))
    assert {index: done.code for index, done in ended.items()} == {number: number for number in range(8)}
    seen = [int(done.out) for done in ended.values()]
    assert max(seen) <= 3
    assert max(seen) >= 2, "they run side by side"


def test_results_come_as_they_end_and_one_that_cannot_start_is_only_a_result(strong: Rig) -> None:
    slow = strong.spec("bash", "-c", "until [ -e go ]; do sleep 0.01; done")
    order = []
    for index, done in strong.launcher.run_all([slow, strong.spec("/no/such"), strong.spec("true")], strong.scope, 3):
        order.append((index, str(done.ended)))
        if index == 2:
            (strong.folder / "go").touch()
    assert order == [(1, "spawn_error"), (2, "ok"), (0, "ok")]


def test_leaving_the_results_early_ends_what_still_runs(rig: Rig) -> None:
    specs = [rig.spec("bash", "-c", "exec sleep $TOKEN"), rig.spec("true")]
    for index, _ in rig.launcher.run_all(specs, rig.scope, 2):
        assert index == 1
        break
    assert rig.alive() == []


def test_limits_hold_side_by_side(strong: Rig) -> None:
    specs = [strong.spec("bash", "-c", "exec sleep $TOKEN", limits=Limits(total=0.1)), strong.spec("true")]
    assert {i: str(done.ended) for i, done in strong.launcher.run_all(specs, strong.scope, 2)} == {0: "timeout", 1: "ok"}
