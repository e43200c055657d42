"""What cannot be started is a result with a reason, never an exception and never a leak (loop-peers C2-39)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from agentops.core.processes import Ended, Spec
from tests.process.conftest import ROOT, Rig


def test_missing_command_is_named(rig: Rig) -> None:
    done = rig.launcher.run(rig.spec("no-such-tool", "--flag"), rig.scope)
    assert (done.ended, done.code) == (Ended.SPAWN_ERROR, None)
    assert done.error == "no-such-tool: command not found"


def test_missing_folder_is_named(rig: Rig) -> None:
    done = rig.launcher.run(Spec(("true",), "/no/such/folder", {"PATH": "/bin:/usr/bin"}), rig.scope)
    assert done.ended is Ended.SPAWN_ERROR and "/no/such/folder" in done.error


def test_script_whose_interpreter_is_missing_never_ran(rig: Rig) -> None:
    script = rig.folder / "broken"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    done = rig.launcher.run(rig.spec(str(script)), rig.scope)
    assert done.ended is Ended.SPAWN_ERROR and "broken" in done.error


def test_nothing_to_run_and_a_nul_in_an_argument_are_results_too(rig: Rig) -> None:
    assert rig.launcher.run(rig.spec(), rig.scope).ended is Ended.SPAWN_ERROR
    assert rig.launcher.run(rig.spec("true", "a\0b"), rig.scope).ended is Ended.SPAWN_ERROR


def test_command_of_that_name_in_the_sandbox_fails_as_itself(rig: Rig) -> None:
    """A command that prints like the sandbox and exits 1 has still run."""
    assert rig.bash("echo 'bwrap: execvp x: No such file or directory' >&2; exit 1").ended is Ended.ERROR


def test_contained_processes_are_refused_to_a_thread(strong: Rig) -> None:
    caught: list[BaseException] = []

    def start() -> None:
        try:
            strong.bash("true")
        except RuntimeError as error:
            caught.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert caught


STARVED = """
import os, resource, sys
from agentops.core.processes import SandboxLevel, Spec
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
launcher, scope = Launcher(clock, SandboxLevel(sys.argv[1])), StopScope(clock)
spec = Spec(("bash", "-c", "echo fine"), "/", dict(os.environ), contained=sys.argv[2] == "True")
print(launcher.run(spec, scope).ended)
before = len(os.listdir("/proc/self/fd"))
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
for spare in range(12):
    resource.setrlimit(resource.RLIMIT_NOFILE, (before + spare, limit[1]))
    done = launcher.run(spec, scope)
    resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert done.ended == "ok" or (done.ended == "spawn_error" and done.error), done
    assert len(os.listdir("/proc/self/fd")) == before, spare
    if spare == 0:
        print(done.ended, done.error)
print(launcher.run(spec, scope).ended)
"""


@pytest.mark.parametrize("contained", [True, False])
def test_no_descriptors_left_is_a_spawn_error_and_leaks_none(
    rig: Rig, driver: Callable[..., subprocess.Popen[bytes]], contained: bool
) -> None:
    out, err = driver(STARVED, rig.level, str(contained)).communicate()
    assert out.decode().splitlines() == ["ok", "spawn_error Too many open files", "ok"], err.decode()


FAULTED = """
import os, sys
from agentops.core.processes import SandboxLevel, Spec
from agentops.core.stops import Stop, StopReason
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
script = "trap '' TERM; while :; do sleep $TOKEN; done"
spec = Spec(("bash", "-c", script), "/", {**os.environ, "TOKEN": sys.argv[2]}, marker=f"test-{sys.argv[2]}")
until = clock.now().plus(0.1)
enough = Stop(StopReason.BUDGET, "enough", grace=0.1)
scope = StopScope(clock, extra=[lambda: enough if clock.now() > until else None])
try:
    print(Launcher(clock, SandboxLevel(sys.argv[1])).run(spec, scope).ended)
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("launcher.spawn.before:1:error", "spawn_error"),
        ("launcher.spawn.after:1:error", "fault injected at launcher.spawn.after"),
        ("launcher.end.before:1:error", "fault injected at launcher.end.before"),
        ("trees.signal.before:1:error", "fault injected at trees.signal.before"),
        ("launcher.kill.before:1:error", "fault injected at launcher.kill.before"),
        ("launcher.spawn.after:1:kill", ""),
        ("launcher.end.before:1:kill", ""),
        ("launcher.kill.before:1:kill", ""),
    ],
)
def test_fault_at_any_point_of_a_run_leaves_no_process(
    rig: Rig, driver: Callable[..., subprocess.Popen[bytes]], fault: str, said: str
) -> None:
    running = driver(FAULTED, rig.level, rig.token, env={"AO_FAULT": fault})
    out, _ = running.communicate()
    assert out.decode().strip() == said
    for pid in rig.alive():  # after a SIGKILL the kernel needs a moment
        rig.gone(pid)


IGNORING = """
import os, signal
from agentops.core.processes import Spec
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
clock = SystemClock()
for contained in (False, True):
    print(Launcher(clock).run(Spec(("false",), "/", dict(os.environ), contained=contained), StopScope(clock)).code)
"""


def test_parent_that_ignores_ended_children_does_not_turn_failures_into_passes(strong: Rig) -> None:
    (strong.folder / "driver.py").write_text(IGNORING)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = ["bash", "-c", "trap '' CHLD; exec \"$0\" driver.py", sys.executable]
    assert subprocess.run(words, cwd=strong.folder, env=env, stdout=subprocess.PIPE, check=True).stdout == b"1\n1\n"
