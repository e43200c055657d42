"""One start of `ao evolve` as a real process, attended through events: its end, its holds, and what the agent says."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.torture.ground import Ground, end_all, survivors

PATIENCE_SECONDS = 90.0
AGENT = Path(__file__).with_name("agent.py")


class Hung(Exception):
    """A start did not end in its time."""


@dataclass(slots=True)
class Ended:
    """How a start ended. `code` is negative for a signal. `report` is None when it printed none."""

    code: int
    out: bytes
    err: bytes
    heard: list[str] = field(default_factory=list)
    holds: int = 0
    left: dict[int, str] = field(default_factory=dict)

    @property
    def report(self) -> dict[str, Any] | None:
        with suppress(ValueError):
            value = json.loads(self.out)
            return value if isinstance(value, dict) else None
        return None

    @property
    def stop_reason(self) -> str:
        return str(self.report["stop_reason"]) if self.report else ""

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL

    def told(self) -> str:
        lines = [line for line in self.err.decode(errors="replace").splitlines() if not line.startswith("  ") or "→" in line]
        return f"exit {self.code} {self.stop_reason} " + " | ".join(lines[-5:])


OnSync = Callable[["Attended", str], None]
OnHold = Callable[["Attended"], None]


Acts = Sequence[Sequence[str]]


def write_script(
    ground: Ground, acts: Acts, *, discovery: Acts | None = None, code: int = 0, more: Mapping[str, Acts] | None = None
) -> None:
    """What the agent does from now on: `acts` in the implementation, and nothing in a phase without acts. `more`: acts of
    other phases, and of single tries (`implementation-2`).
    """
    phases = {"implementation": acts} | ({} if discovery is None else {"discovery": discovery}) | dict(more or {})
    script = {"phases": phases, "exit": code}
    (ground.control / "script.json").write_text(json.dumps(script), encoding="ascii")


def agent_command(ground: Ground) -> str:
    """The agent's command line: the bare interpreter, so that a phase without acts costs little."""
    return f"{os.path.realpath(sys.executable)} -I -S {AGENT} {ground.control}"


class Attended:
    """A running supervisor. `answer` lets the agent go on; `kill` is `kill -9` of the supervisor alone."""

    def __init__(
        self, ground: Ground, argv: Sequence[str], env: Mapping[str, str], on_sync: OnSync | None, on_hold: OnHold | None
    ) -> None:
        self.ground = ground
        self.heard: list[str] = []
        self.holds = 0
        self._on_sync, self._on_hold = on_sync, on_hold
        self._said = os.open(ground.control / "said", os.O_RDWR | os.O_NONBLOCK)
        self._go = os.open(ground.control / "go", os.O_RDWR | os.O_NONBLOCK)
        self._drain()
        self._out, self._err = ground.control / "stdout", ground.control / "stderr"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                argv,
                cwd=ground.repo,
                env=ground.env(env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._news, self._tell = os.pipe()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        self._killed = False

    def answer(self) -> None:
        os.write(self._go, b"g")

    def kill(self) -> None:
        self._killed = True  # the agent must not go on before it hears of it
        self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def attend(self, patience: float = PATIENCE_SECONDS) -> Ended:
        """Until the supervisor has ended and its tree is gone, or is proven not to be. Raises Hung."""
        deadline = time.monotonic() + patience
        poller = select.poll()
        poller.register(self._news, select.POLLIN)
        poller.register(self._said, select.POLLIN)
        buffer = b""
        over = False
        try:
            while not over:
                ready = poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
                if not ready:
                    raise Hung(f"no end in {patience:.0f} s: {self._err.read_bytes()[-800:]!r}")
                # What the agent said counts before the news of the end: it was said before.
                *lines, buffer = (buffer + self._read(self._said)).split(b"\n")
                for line in lines:
                    self._hear(line.decode("ascii", "replace"))
                if any(fd == self._news for fd, _ in ready):
                    over = self._turn(os.read(self._news, 1))
            code = self._process.wait()
            left = survivors(self.ground.mark)
            return Ended(code, self._out.read_bytes(), self._err.read_bytes(), self.heard, self.holds, left)
        finally:
            end_all(self.ground.mark)
            self._process.wait()
            self._watcher.join()
            for fd in (self._said, self._go, self._news, self._tell):
                os.close(fd)

    def _turn(self, news: bytes) -> bool:
        if news != b"S":
            return True
        self.holds += 1
        if self._on_hold is not None:
            self._on_hold(self)
        self.signal(signal.SIGCONT)
        return False

    def _hear(self, line: str) -> None:
        self.heard.append(line)
        if line.startswith("sync "):
            if self._on_sync is not None:
                self._on_sync(self, line[5:])
            if not self._killed:
                self.answer()

    def _watch(self) -> None:
        """A thread, since stops of a child are told to `waitid` alone."""
        while True:
            try:
                seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
            except ChildProcessError:  # taken in already, after a hang
                seen = None
            if seen is not None and seen.si_code == os.CLD_STOPPED:
                os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG)
                os.write(self._tell, b"S")
                continue
            os.write(self._tell, b"X")
            return

    def _drain(self) -> None:
        self._read(self._said)
        self._read(self._go)

    @staticmethod
    def _read(fd: int) -> bytes:
        found = b""
        with suppress(BlockingIOError):
            while piece := os.read(fd, 65536):
                found += piece
        return found


def evolve(
    ground: Ground,
    *flags: str,
    fault: str = "",
    log: Path | None = None,
    agent: bool = True,
    on_sync: OnSync | None = None,
    on_hold: OnHold | None = None,
) -> Ended:
    """One start of `ao evolve --json`, to its end."""
    env = {"AO_FAULT": fault} if fault else {}
    if log is not None:
        env["AO_FAULT_LOG"] = str(log)
    return begin(ground, *flags, env=env, agent=agent, on_sync=on_sync, on_hold=on_hold).attend()


def begin(
    ground: Ground,
    *flags: str,
    env: Mapping[str, str] | None = None,
    agent: bool = True,
    on_sync: OnSync | None = None,
    on_hold: OnHold | None = None,
) -> Attended:
    """Start `ao evolve --json` and hand it over running."""
    with_agent = ("--agent", "command", "--agent-command", agent_command(ground)) if agent else ()
    argv = (*ao(), "evolve", "--json", *with_agent, *flags)
    return Attended(ground, argv, env or {}, on_sync, on_hold)


def ao() -> tuple[str, ...]:
    """The command as people have it, from the environment that runs us."""
    return (str(Path(sys.executable).with_name("ao")),)


def say(ground: Ground, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """Any other `ao` command of the person."""
    return subprocess.run(
        [*ao(), *argv], cwd=ground.repo, env=ground.env(), capture_output=True, check=False, timeout=PATIENCE_SECONDS
    )
