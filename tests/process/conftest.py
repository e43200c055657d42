"""Real processes, held at every level that works here; after each test nothing of it may be alive."""

from __future__ import annotations

import os
import secrets
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentops.core.processes import Exit, Limits, Mounts, OnLine, SandboxLevel, Spec
from agentops.core.stops import Scope
from agentops.host import sandbox, survivors
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope
from agentops.host.trees import pids

HELD = [level for level in (SandboxLevel.BWRAP, SandboxLevel.UNSHARE, SandboxLevel.GROUP) if sandbox.works(level)]
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Rig:
    """A launcher at one level, a folder, and a token by which every process of the test can be found."""

    level: SandboxLevel
    folder: Path
    token: str = field(default_factory=lambda: f"900.{secrets.randbelow(10**9):09d}")

    def __post_init__(self) -> None:
        self.clock = SystemClock()
        self.launcher = Launcher(self.clock, self.level)
        self.scope = self.stoppable()

    def stoppable(self, grace: float = 300.0, name: str = "STOP") -> StopScope:
        return StopScope(self.clock, [StopFile(str(self.folder / name), grace)])

    def stop(self, words: str = "", name: str = "STOP") -> None:
        (self.folder / name).write_text(words)

    def spec(
        self,
        *argv: str,
        stdin: bytes = b"",
        limits: Limits | None = None,
        mounts: Mounts | None = None,
        merged: bool = False,
        contained: bool = True,
    ) -> Spec:
        env = {**os.environ, "TOKEN": self.token}
        return Spec(
            argv, str(self.folder), env, stdin, limits or Limits(), mounts or Mounts(), contained, merged, f"test-{self.token}"
        )

    def bash(self, script: str, scope: Scope | None = None, on_line: OnLine | None = None, **facts: object) -> Exit:
        """Run a script; `sleep $TOKEN` in it is a process that the test can find."""
        spec = self.spec("bash", "-c", script, **facts)  # type: ignore[arg-type]
        return self.launcher.run(spec, scope or self.scope, on_line)

    def python(self, code: str, scope: Scope | None = None, on_line: OnLine | None = None, **facts: object) -> Exit:
        spec = self.spec(sys.executable, "-I", "-S", "-c", code, self.token, **facts)  # type: ignore[arg-type]
        return self.launcher.run(spec, scope or self.scope, on_line)

    def alive(self) -> list[int]:
        """Processes that carry the token in their command line or environment."""
        return sorted({*speaking_of(self.token), *(one.pid for one in survivors.marked(f"test-{self.token}"))})

    def gone(self, pid: int) -> None:
        """Wait until a process has ended."""
        assert ends(pid, 60), f"process {pid} is still there"


def ends(pid: int, seconds: float) -> bool:
    """Whether a process ends within so long."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    ended = bool(poller.poll(seconds * 1000))
    os.close(fd)
    return ended


def speaking_of(token: str) -> list[int]:
    found = []
    for pid in pids():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if token.encode() in words and pid != os.getpid():
            found.append(pid)
    return found


def _marked(level: SandboxLevel) -> object:
    """The levels that are only fallbacks here take part outside the quick tier."""
    return pytest.param(level, id=str(level), marks=() if level is HELD[0] else pytest.mark.slow)


@pytest.fixture(params=[_marked(level) for level in HELD])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    """At each level that holds a whole tree here."""
    yield from _rigged(Rig(request.param, tmp_path))


@pytest.fixture
def strong(tmp_path: Path) -> Iterator[Rig]:
    """At the strongest level here."""
    yield from _rigged(Rig(sandbox.strongest(), tmp_path))


def _rigged(made: Rig) -> Iterator[Rig]:
    yield made
    # After a SIGKILL of the launcher its tree needs a moment; a leak stays.
    left = [pid for pid in made.alive() if not ends(pid, 3)]
    for pid in left:
        os.kill(pid, 9)
    assert not left, f"left behind: {left}"


@pytest.fixture
def driver(tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Run a program that uses the launcher, in a process of its own that a test may kill."""

    def start(code: str, *args: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        script = tmp_path / "driver.py"
        script.write_text(code)
        return subprocess.Popen(
            [sys.executable, str(script), *args],
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
        )

    return start
