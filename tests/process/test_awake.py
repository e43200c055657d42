"""The machine is kept awake while we live and not a moment longer, with a stand-in for the system's tool."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentops.host.awake import awake
from agentops.host.clock import SystemClock
from agentops.host.scope import StopFile, StopScope

# as systemd-inhibit: options first, then a command that it starts and waits for
_TOOL = '#!/bin/sh\necho $$ >"$PID"\necho "$*" >>"$ASKED"\n{extra}\nwhile [ "${{1#-}}" != "$1" ]; do shift; done\n"$@"\n'


class Machine:
    """An environment with one tool of that name."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.pid, self.asked = folder / "bin", folder / "pid", folder / "asked"
        self.bin.mkdir()
        (self.bin / "sh").symlink_to("/bin/sh")
        (self.bin / "cat").symlink_to("/bin/cat")
        self.env = {"PATH": str(self.bin), "PID": str(self.pid), "ASKED": str(self.asked), "AO_RUN_ID": "s.1"}

    def has(self, name: str, extra: str = "") -> None:
        tool = self.bin / name
        tool.write_text(_TOOL.format(extra=extra))
        tool.chmod(0o755)

    def process(self) -> int:
        """A pidfd of the tool, which becomes readable when it has ended."""
        return os.pidfd_open(int(self.pid.read_text()))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def scope() -> StopScope:
    return StopScope(SystemClock())


def _ended(pidfd: int) -> bool:
    return bool(select.select([pidfd], [], [], 10)[0])


@pytest.mark.parametrize("tool", ["systemd-inhibit", "caffeinate"])
def test_it_is_held_meanwhile_and_let_go_afterwards(machine: Machine, scope: StopScope, tool: str) -> None:
    machine.has(tool)
    with awake(machine.env, scope) as keeper:
        assert keeper == tool
        process = machine.process()
        assert not select.select([process], [], [], 0)[0]
    assert _ended(process)


def test_where_sleep_may_not_be_blocked_idleness_is(machine: Machine, scope: StopScope) -> None:
    machine.has("systemd-inhibit", 'case "$*" in *sleep:idle*) exit 1;; esac')
    with awake(machine.env, scope) as keeper:
        assert keeper == "systemd-inhibit"
    assert "--what=idle " in machine.asked.read_text().splitlines()[1]


@pytest.mark.parametrize("extra", ["exit 1", "kill -9 $$", "exit 0"])
def test_a_system_that_refuses_is_nothing_held_and_no_error(machine: Machine, scope: StopScope, extra: str) -> None:
    machine.has("systemd-inhibit", extra)
    with awake(machine.env, scope) as keeper:
        assert keeper == ""


def test_without_any_tool_nothing_is_held(machine: Machine, scope: StopScope) -> None:
    with awake(machine.env, scope) as keeper:
        assert keeper == ""


def test_a_system_that_does_not_answer_is_left_alone_when_we_are_told_to_stop(machine: Machine) -> None:
    machine.has("systemd-inhibit", "exec /usr/bin/tail -f /dev/null")
    stop = StopScope(SystemClock(), [StopFile(str(machine.asked), 0.0)])
    with awake(machine.env, stop) as keeper:
        assert keeper == ""
        with pytest.raises(ProcessLookupError):
            os.kill(int(machine.pid.read_text()), 0)


def test_an_error_of_the_session_lets_go_too(machine: Machine, scope: StopScope) -> None:
    machine.has("systemd-inhibit")
    with pytest.raises(ValueError, match="session"), awake(machine.env, scope):
        process = machine.process()
        raise ValueError("session")
    assert _ended(process)


def test_a_supervisor_that_is_killed_lets_go(machine: Machine) -> None:
    machine.has("systemd-inhibit")
    held = (
        "import os, sys\nfrom agentops.host.awake import awake\nfrom agentops.host.clock import SystemClock\n"
        "from agentops.host.scope import StopScope\n"
        "with awake(dict(os.environ), StopScope(SystemClock())) as keeper:\n    print(keeper, flush=True)\n    sys.stdin.read()\n"
    )
    supervisor = subprocess.Popen(
        [sys.executable, "-c", held], env=machine.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert supervisor.stdout is not None and supervisor.stdout.readline() == "systemd-inhibit\n"
        process = machine.process()
        supervisor.send_signal(signal.SIGKILL)
        assert _ended(process)
    finally:
        supervisor.kill()
        supervisor.communicate()
