"""Stops, deadlines and waiting, on a clock that the test turns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentops.core.clock import Clock, Instant
from agentops.core.errors import ExitCode
from agentops.core.stops import Stop, StopReason
from agentops.host.clock import SystemClock
from agentops.host.scope import StopFile, StopScope
from agentops.host.signals import Signals


class Turned(Clock):
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        self.at = Instant(100.0, 1_000_000.0)

    def now(self) -> Instant:
        return self.at

    def boot(self) -> str:
        return "boot"

    def turn(self, seconds: float) -> None:
        self.at = self.at.plus(seconds)


@pytest.fixture
def clock() -> Turned:
    return Turned()


def test_files_are_looked_at_on_the_rhythm_only_and_an_answer_stays(clock: Turned, tmp_path: Path) -> None:
    stop = tmp_path / "STOP"
    scope = StopScope(clock, [StopFile(str(stop), 1.5)])
    assert scope.stopped() is None
    stop.write_text("go home\x07\n")
    assert scope.stopped() is None
    clock.turn(0.2)
    found = scope.stopped()
    assert found is not None and (found.reason, found.grace) == (StopReason.KILL_SWITCH, 1.5)
    assert found.detail == f"{stop}: go home"
    stop.unlink()
    clock.turn(5)
    assert scope.stopped() == found


def test_after_cycle_stops_between_cycles_only_and_only_where_it_is_honoured(clock: Turned, tmp_path: Path) -> None:
    for name in ("STOP", "KILL"):
        (tmp_path / name).write_text("after-cycle\nplease")
    polite = StopScope(clock, [StopFile(str(tmp_path / "STOP"), 1.5, honours_after_cycle=True)])
    assert polite.stopped() is None
    between = polite.after_cycle()
    assert between is not None and "please" in between.detail
    assert StopScope(clock, [StopFile(str(tmp_path / "KILL"), 0)]).stopped() is not None


def test_folder_that_may_not_be_searched_is_no_stop_for_ever(clock: Turned) -> None:
    assert StopScope(clock, [StopFile("/proc/1/cmdline/KILL", 0), StopFile("x" * 5000, 0)]).stopped() is None


def test_harder_stop_replaces_a_softer_one(clock: Turned) -> None:
    answers: list[Stop | None] = [Stop(StopReason.BUDGET, "110 %", grace=1.5)]
    scope = StopScope(clock, extra=[lambda: answers[0]])
    assert scope.stopped() == answers[0]
    answers[0] = Stop(StopReason.KILL_SWITCH, "KILL", grace=0)
    clock.turn(1)
    assert scope.stopped() == answers[0]
    answers[0] = Stop(StopReason.BUDGET, "later", grace=9)
    clock.turn(1)
    found = scope.stopped()
    assert found is not None and found.grace == 0


def test_heart_beats_on_the_rhythm_and_may_ask_the_scope_itself(clock: Turned) -> None:
    beats = []
    scope = StopScope(clock, pulse=lambda: beats.append(scope.stopped()), poll=0.25)
    for _ in range(10):
        scope.stopped()
        clock.turn(0.125)
    assert len(beats) == 5


def test_deadlines_nest_and_the_earlier_one_counts(clock: Turned) -> None:
    outer = StopScope(clock).within(10)
    inner, late = outer.within(5), outer.within(50)
    clock.turn(6)
    stopped = inner.stopped()
    assert stopped is not None and stopped.reason is StopReason.DEADLINE
    assert outer.stopped() is None and late.stopped() is None
    clock.turn(5)
    assert late.stopped() is not None


def test_signals_are_counted_and_exit_codes_told(clock: Turned) -> None:
    with Signals() as signals:
        scope = StopScope(clock, signals=signals)
        closing = scope.closing()
        assert scope.stopped() is None
        os.kill(os.getpid(), 15)
        first = scope.stopped()
        assert first is not None and (first.exit_code, first.grace, first.detail) == (ExitCode.SIGTERM, 1.5, "SIGTERM")
        assert closing.stopped() is None and closing.within(100).stopped() is None
        os.kill(os.getpid(), 2)
        second = scope.stopped()
        assert second is not None and (second.exit_code, second.grace) == (ExitCode.SIGTERM, 0)
        assert closing.stopped() == second == closing.within(100).stopped()


def test_hangup_is_nothing_when_detached(clock: Turned) -> None:
    with Signals(hangup=False) as signals:
        os.kill(os.getpid(), 1)
        assert StopScope(clock, signals=signals).stopped() is None and signals.count == 0


def test_waiting_ends_for_a_signal_a_descriptor_and_its_time() -> None:
    clock = SystemClock()
    far = clock.now().plus(300)  # over the test's own limit
    with Signals() as signals:
        scope = StopScope(clock, signals=signals)
        read, write = os.pipe()
        os.write(write, b"x")
        assert scope.wait(far, read) is None
        os.close(read)
        os.close(write)
        assert scope.wait(clock.now().plus(0.05)) is None
        deadline = scope.within(0.05).wait(far)
        assert deadline is not None and deadline.reason is StopReason.DEADLINE
        os.kill(os.getpid(), 15)
        stop = scope.wait(far)
        assert stop is not None and stop.reason is StopReason.SIGNAL


def test_waiting_sees_a_stop_file_that_appears_meanwhile(tmp_path: Path) -> None:
    clock = SystemClock()
    scope = StopScope(clock, [StopFile(str(tmp_path / "STOP"), 0)], pulse=lambda: (tmp_path / "STOP").touch(), poll=0.05)
    assert scope.wait(clock.now().plus(300)) is not None


def test_a_boot_has_one_name() -> None:
    assert SystemClock().boot() == SystemClock().boot() != ""
