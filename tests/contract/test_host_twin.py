"""The twin of the host keeps the same promises as the real launcher: one suite, run on both."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentops.core.processes import Ended, Exit, Host, Limits, Spec
from agentops.core.stops import Scope, Stop, StopReason
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from tests.twins.host import Program, TwinHost
from tests.twins.time import VirtualClock, VirtualScope

TOLD = Stop(StopReason.KILL_SWITCH, "told to", grace=0.2)


@dataclass
class Machine:
    """`argv` turns a program of the suite into what this host runs; `scope(after)` stops once `after` runs were asked for."""

    host: Host
    argv: Mapping[str, tuple[str, ...]]
    scope: Scope
    stopped: Scope
    folder: str

    def spec(self, name: str, **limits: float | int) -> Spec:
        env = {"PATH": os.environ["PATH"]}
        return Spec(self.argv[name], self.folder, env, limits=Limits(**limits), contained=False)  # type: ignore[arg-type]


def twin(folder: Path) -> Machine:
    clock = VirtualClock()
    programs = {
        "hello": Program(prints=b"one\ntwo\n"),
        "three": Program(code=3),
        "long": Program(seconds=60.0),
        "much": Program(prints=b"x" * 1000),
    }
    argv = {name: (name,) for name in (*programs, "missing")}
    return Machine(TwinHost(clock, programs), argv, VirtualScope(clock), VirtualScope(clock, told=TOLD), str(folder))


def real(folder: Path) -> Machine:
    clock = SystemClock()
    argv = {
        "hello": ("printf", "one\\ntwo\\n"),
        "three": ("sh", "-c", "exit 3"),
        "long": ("sleep", "60"),
        "much": ("sh", "-c", "printf 'x%.0s' $(seq 1000)"),
        "missing": ("no-such-program-anywhere",),
    }
    return Machine(Launcher(clock), argv, StopScope(clock), StopScope(clock, extra=(lambda: TOLD,)), str(folder))


@pytest.fixture(params=[twin, real], ids=["twin", "real"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    make: Callable[[Path], Machine] = request.param
    return make(tmp_path)


def test_output_and_lines_arrive_whole(machine: Machine) -> None:
    lines: list[bytes] = []
    done = machine.host.run(machine.spec("hello"), machine.scope, lines.append)
    assert (done.good, done.out, lines) == (True, b"one\ntwo\n", [b"one", b"two"])


def test_an_exit_code_is_an_error_and_no_exception(machine: Machine) -> None:
    done = machine.host.run(machine.spec("three"), machine.scope)
    assert (done.code, done.ended, done.good) == (3, Ended.ERROR, False)


def test_a_missing_program_is_a_result(machine: Machine) -> None:
    done = machine.host.run(machine.spec("missing"), machine.scope)
    assert (done.ended, done.code) == (Ended.SPAWN_ERROR, None) and "no" in done.error.lower()


def test_a_limit_ends_a_run_as_a_time_out(machine: Machine) -> None:
    done = machine.host.run(machine.spec("long", total=0.4), machine.scope)
    assert (done.ended, done.code, done.stop) == (Ended.TIMEOUT, None, None)


def test_a_stop_ends_a_run_and_is_named_in_its_result(machine: Machine) -> None:
    done = machine.host.run(machine.spec("long"), machine.stopped)
    assert (done.ended, done.stop) == (Ended.KILLED, TOLD)


def test_output_is_bounded_and_what_was_dropped_is_counted(machine: Machine) -> None:
    done = machine.host.run(machine.spec("much", head=10, tail=20), machine.scope)
    assert (len(done.out), len(done.out_tail), done.dropped) == (10, 20, 970)


def test_many_runs_end_with_their_own_index(machine: Machine) -> None:
    names = ["hello", "three", "missing", "hello"]
    ended: dict[int, Exit] = dict(machine.host.run_all([machine.spec(name) for name in names], machine.scope, slots=2))
    assert {index: done.ended for index, done in ended.items()} == {
        0: Ended.OK,
        1: Ended.ERROR,
        2: Ended.SPAWN_ERROR,
        3: Ended.OK,
    }


def test_after_a_stop_no_further_run_is_started(machine: Machine) -> None:
    ended = list(machine.host.run_all([machine.spec("long")] * 3, machine.stopped, slots=1))
    assert len(ended) <= 1 and all(done.stop == TOLD for _, done in ended)
