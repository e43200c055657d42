"""Running the gate: a gate that cannot work must never be read as the work's fault, nor as a pass."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import cast

import pytest

from agentops.core.clock import Instant
from agentops.core.judging import FindingKind
from agentops.core.places import Effect, Place, Snapshot, Start
from agentops.gate.commands import Answer, CommandsCheck, run_commands
from agentops.gate.systems import GateCommand
from agentops.goals.folder import Folder
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope

CLOCK = SystemClock()
HOST = Launcher(CLOCK)
NOWHERE = Snapshot("", "", None, "")
START, EFFECT = Start(1, "s.1", Instant(0, 0), NOWHERE), Effect(NOWHERE)


def place(folder: Path) -> Place:
    return cast(Place, Folder(str(folder), os.environ))


def shell(script: str, number: int = 1, nothing_ran: frozenset[int] = frozenset()) -> GateCommand:
    return GateCommand(number, ("bash", "-c", script), script, nothing_ran)


@pytest.mark.parametrize(
    ("script", "said", "why"),
    [
        ("exit 0", Answer.PASS, "passed"),
        ("echo first; echo 2 failed >&2; exit 1", Answer.FAIL, "first · 2 failed"),
        ("exit 5", Answer.NOTHING_RAN, "nothing to run"),
        ("exit 127", Answer.ERROR, "could not be run"),
        ("no-such-tool-zz", Answer.ERROR, "no-such-tool-zz"),
        ("kill -KILL $$", Answer.ERROR, "memory"),
        ("kill -SEGV $$", Answer.FAIL, ""),
        ("sleep 600", Answer.ERROR, "not done after"),
        ("exit 2", Answer.FAIL, "(it printed nothing)"),
    ],
)
def test_what_a_command_says(tmp_path: Path, script: str, said: Answer, why: str) -> None:
    (ran,) = run_commands([shell(script, nothing_ran=frozenset({5}))], place(tmp_path), HOST, StopScope(CLOCK), limit=1.0)
    assert ran.answer is said and why in ran.why


def test_a_tool_that_is_gone_is_an_error_of_the_gate(tmp_path: Path) -> None:
    (ran,) = run_commands([GateCommand(1, ("no-such-tool-zz",), "x")], place(tmp_path), HOST, StopScope(CLOCK))
    assert ran.answer is Answer.ERROR and "did not start" in ran.why


def test_each_end_is_the_finding_that_judging_expects(tmp_path: Path) -> None:
    commands = [shell("exit 0", 1), shell("exit 1", 2), shell("exit 5", 3, nothing_ran=frozenset({5})), shell("exit 126", 4)]
    found = list(CommandsCheck(commands, HOST).findings(START, EFFECT, place(tmp_path), StopScope(CLOCK)))
    assert [(one.kind, one.subject) for one in found] == [
        (FindingKind.RAN, "1"),
        (FindingKind.COMMAND, "2"),
        (FindingKind.NOTE, "3"),
        (FindingKind.GATE_ERROR, "4"),
    ]
    assert found[1].detail.startswith("exit 1: ended with 1")


def test_a_failure_does_not_hide_what_comes_after_it(tmp_path: Path) -> None:
    run_commands([shell("exit 1"), shell("touch ran", 2)], place(tmp_path), HOST, StopScope(CLOCK))
    assert (tmp_path / "ran").exists()


def test_a_flake_is_cleared_by_the_second_run_and_only_suspects_run_again(tmp_path: Path) -> None:
    commands = [
        shell("test -e seen || { touch seen; exit 1; }", 1),
        shell("exit 1", 2),
        shell("echo x >> ran", 3),
        shell("sleep 600", 4),
    ]
    check = CommandsCheck(commands, HOST, limit=1.0)
    check.findings(START, EFFECT, place(tmp_path), StopScope(CLOCK))
    seen = check.again(frozenset({"1", "2", "4"}), place(tmp_path), StopScope(CLOCK))
    assert (seen.failing, seen.unclear) == (frozenset({"2"}), frozenset({"4"}))
    assert (tmp_path / "ran").read_text() == "x\n"


def test_a_stop_ends_the_gate_and_what_did_not_run_is_no_pass(tmp_path: Path) -> None:
    stop = tmp_path / "STOP"
    scope = StopScope(CLOCK, [StopFile(str(stop), 0.0)], poll=0.05)
    ran = run_commands([shell(f"touch {stop}; sleep 600"), shell("touch never", 2)], place(tmp_path), HOST, scope)
    assert [one.answer for one in ran] == [Answer.ERROR, Answer.ERROR] and "stopped" in ran[0].why
    assert not (tmp_path / "never").exists()


def test_a_commands_own_environment_is_added(tmp_path: Path) -> None:
    (ran,) = run_commands(
        [GateCommand(1, ("bash", "-c", 'test "$CI" = 1'), "x", env=(("CI", "1"),))], place(tmp_path), HOST, StopScope(CLOCK)
    )
    assert ran.answer is Answer.PASS


def test_the_summary_at_the_end_of_a_long_output_is_what_is_quoted(tmp_path: Path) -> None:
    (ran,) = run_commands([shell("seq 300000; echo '= 3 failed, 12 passed ='; exit 1")], place(tmp_path), HOST, StopScope(CLOCK))
    assert ran.why == "ended with 1: 299999 · 300000 · = 3 failed, 12 passed ="


def test_no_tests_collected_by_the_real_pytest_is_nothing_ran_and_a_red_one_fails(tmp_path: Path) -> None:
    command = GateCommand(1, (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"), "pytest", frozenset({5}))
    check = [command]
    assert run_commands(check, place(tmp_path), HOST, StopScope(CLOCK))[0].answer is Answer.NOTHING_RAN
    (tmp_path / "test_x.py").write_text("def test_x():\n    assert False\n")
    (ran,) = run_commands(check, place(tmp_path), HOST, StopScope(CLOCK))
    assert ran.answer is Answer.FAIL and "1 failed" in ran.why
