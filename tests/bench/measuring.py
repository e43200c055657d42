"""What the benches share: figures beside yardsticks of the same run, scratch repositories, whole processes seen from outside."""

from __future__ import annotations

import functools
import os
import platform
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.torture import ground as torture
from tests.torture.ground import leftovers

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table. `samples` are in `unit`; `bar` is the most that the median may be, None where there is no bar.

    `yardstick` names what the median is compared with, `yard` is that one's median in the same unit. `bar_of`: which of the
    samples is held to the bar.
    """

    group: str
    name: str
    what: str
    unit: str
    samples: tuple[float, ...]
    bar: float | None = None
    yardstick: str = ""
    yard: float | None = None
    worst_counts: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def ratio(self) -> float | None:
        return self.median / self.yard if self.yard else None

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None without one. `worst_counts`: by the largest sample, else by the median."""
        if self.bar is None:
            return None
        return (max(self.samples) if self.worst_counts else self.median) <= self.bar

    def facts(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "group": self.group,
            "figure": self.name,
            "what": self.what,
            "unit": self.unit,
            "min": round(min(self.samples), 6),
            "median": round(self.median, 6),
            "max": round(max(self.samples), 6),
            "runs": len(self.samples),
            "yardstick": self.yardstick or None,
            "ratio": round(self.ratio, 3) if self.ratio is not None else None,
            "bar": self.bar,
            "reached": self.reached,
        }


@dataclass(frozen=True, slots=True)
class Goal:
    """A row of a scratch repository's Gates table. `timeout` in seconds."""

    id: str
    check: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Ground(torture.Ground):
    """The torture's scratch folder with an agent, and without a control folder: on the temporary folder's own disk, since
    syncing is what we measure.
    """

    @property
    def agent(self) -> Path:
        return self.folder / "agent"

    @property
    def stop_file(self) -> Path:
        return self.repo / ".agents" / "evolve" / "STOP"

    def env(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """As a person's shell has it: compiled modules are kept, or every start would pay for them again."""
        found = torture.Ground.env(self, more)
        del found["PYTHONDONTWRITEBYTECODE"]
        return {**found, "PATH": f"{Path(sys.executable).parent}:{found['PATH']}"}

    def script(self, name: str, text: str) -> Path:
        """An executable bash script beside the repository."""
        path = self.folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return path

    def evolve(self, *flags: str) -> tuple[str, ...]:
        """The command line of `ao evolve` with the scratch agent."""
        return (ao(), "evolve", "--agent-command", str(self.agent), *flags)

    def start(self, argv: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start it in the repository; what it says lies in `out` and `err` of the folder."""
        with (self.folder / "out").open("wb") as out, (self.folder / "err").open("wb") as err:
            return subprocess.Popen(
                argv, cwd=self.repo, env=self.env(), stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )

    def run(self, argv: Sequence[str], expect: Sequence[int] = (0,)) -> float:
        """Run it to its end; seconds. A bench whose subject failed has no figure: raises with what was said."""
        began = time.perf_counter()
        process = self.start(argv)
        try:
            code = process.wait(PATIENCE)
        finally:
            torture.end_all(self.mark)
        seconds = time.perf_counter() - began
        if code not in expect:
            raise RuntimeError(f"{' '.join(argv)}: exit {code}\n{self.said()}")
        return seconds

    def said(self) -> str:
        """The last of what the product printed."""
        return "".join((self.folder / name).read_text(errors="replace")[-3000:] for name in ("out", "err"))

    def stamp(self, name: str) -> float:
        """The first line of a transcript: when the agent began, in seconds since the epoch."""
        return float((self.state / "transcripts" / f"{name}.log").read_text().partition("\n")[0])


def ao() -> str:
    """The command as people have it, from the environment that runs us."""
    return str(Path(sys.executable).with_name("ao"))


@contextmanager
def ground(files: int = 20, dirty: int = 0, rows: int = 0, goals: Sequence[Goal] = (), agent: str = "exit 0") -> Iterator[Ground]:
    """A repository of so many real files with one commit; `dirty` of them changed since; a ledger of so many rows, ignored."""
    here = Ground(Path(tempfile.mkdtemp(prefix="ao-bench-")))
    try:
        (here.folder / "home").mkdir()
        here.repo.mkdir()
        (here.folder / "home" / ".gitconfig").write_text(torture.GITCONFIG)
        here.git("init", "--quiet", "--template=")
        (here.repo / "done").mkdir()
        (here.repo / "done" / "README").write_text("One file a goal that is reached.\n")
        (here.repo / ".gitignore").write_text(".agents/\n" if rows else "*.tmp\n")
        write_goals(here, goals)
        made = [_file(here, number) for number in range(max(0, files - 3))]
        here.git("add", "--all")
        here.git("commit", "--quiet", "--message", "Start")
        for path in made[:dirty]:
            with path.open("a") as file:
                file.write("# being worked on\n")
        if rows:
            write_ledger(here.repo / ".agents" / "evolve" / "cycle-history.jsonl", rows)
        here.script("agent", agent)
        yield here
    finally:
        torture.end_all(here.mark)
        here.drop()


def _file(here: Ground, number: int) -> Path:
    folder = here.repo / "src" / f"part{number // 100:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"module{number:05d}.py"
    path.write_text(
        f'"""Module {number}."""\n\n' + "".join(f"def f{at}(x):\n    return x + {number * at}\n\n\n" for at in range(12))
    )
    return path


def write_goals(here: Ground, goals: Sequence[Goal]) -> None:
    """`GOALS.md` with these rows."""
    rows = "".join(f"| {one.id} | `{one.check}` | 5 | A goal | {one.timeout or ''} |\n" for one in goals)
    head = "# Bench\n\n## Gates\n\n| ID | Check | Weight | Description | Timeout |\n|---|---|---|---|---|\n"
    (here.repo / "GOALS.md").write_text(head + rows)


def write_ledger(path: Path, rows: int) -> None:
    """So many plausible rows."""
    from agentops.core.judging import Result
    from agentops.records.rows import CycleRow, encode

    path.parent.mkdir(parents=True, exist_ok=True)
    line = encode(
        CycleRow(1, "tests-green", Result.IMPROVED, "2026-11-30T21:00:00Z", sha="a" * 40, session_id="20261130-2304-a1b2")
    )
    with path.open("wb") as file:
        file.writelines(line.replace(b":1,", b":%d," % cycle, 1) + b"\n" for cycle in range(1, rows + 1))


# Processes, seen from outside.


def until(ready: Callable[[], bool], process: subprocess.Popen[bytes] | None = None, every: float = 0.002) -> None:
    """Poll until `ready`; raises when the process has ended before, or after `PATIENCE`."""
    deadline = time.monotonic() + PATIENCE
    while not ready():
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"it ended with {process.returncode} before it got there")
        if time.monotonic() > deadline:
            raise RuntimeError("it never got there")
        time.sleep(every)


def gone(mark: str, act: Callable[[], None]) -> float:
    """Seconds from `act` until the last process that carries the mark is gone, those that are started meanwhile included."""
    watched = {pid: fd for pid in leftovers(mark) if (fd := _pidfd(pid)) is not None}
    began = time.perf_counter()
    act()
    poller = select.poll()
    try:
        while watched:
            for fd in watched.values():
                poller.register(fd, select.POLLIN)
            left = dict(watched)
            while left:
                ready = {fd for fd, _ in poller.poll(PATIENCE * 1000)}
                if not ready:
                    raise RuntimeError(f"still there: {leftovers(mark)}")
                for fd in ready:
                    poller.unregister(fd)
                left = {pid: fd for pid, fd in left.items() if fd not in ready}
            seconds = time.perf_counter() - began
            _close(watched)
            watched = {pid: fd for pid in leftovers(mark) if (fd := _pidfd(pid)) is not None}
        return seconds
    finally:
        _close(watched)


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _close(watched: Mapping[int, int]) -> None:
    for fd in watched.values():
        os.close(fd)


def peak_memory(process: subprocess.Popen[bytes]) -> float:
    """MiB that the process needed at most until its end (its own, not its children's): the kernel's high-water mark."""
    best = 0.0
    while process.poll() is None:
        with suppress(OSError, IndexError, ValueError):
            status = Path("/proc", str(process.pid), "status").read_text()
            best = max(best, float(status.split("VmHWM:")[1].split()[0]) / 1024)
        time.sleep(0.01)
    return best


# Yardsticks: what this machine needs for plain things, now.


@functools.cache
def yardstick(name: str) -> float:
    """Median seconds of a plain thing, measured once a run: `bare python`, `git commit`, `fsynced append`, `bwrap true`."""
    return statistics.median(_YARDS[name]())


def _bare_python() -> list[float]:
    return [_took(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)) for _ in range(15)]


def _git_commit() -> list[float]:
    with ground() as here:

        def commit(number: int) -> None:
            here.git("add", "counted")
            here.git("commit", "--quiet", "--message", f"{number}")

        seconds = []
        for number in range(7):
            (here.repo / "counted").write_text(f"{number}\n")
            seconds.append(_took(lambda number=number: commit(number)))  # type: ignore[misc]
        return seconds


def _fsynced_append() -> list[float]:
    with tempfile.TemporaryFile() as file:

        def append() -> None:
            os.write(file.fileno(), b"x" * 200 + b"\n")
            os.fsync(file.fileno())

        return [_took(append) for _ in range(30)]


def _bwrap_true() -> list[float]:
    from agentops.host.sandbox import bwrap

    path = bwrap()
    if path is None:
        raise RuntimeError("no bubblewrap here")
    argv = [
        path,
        "--unshare-pid",
        "--die-with-parent",
        "--bind",
        "/",
        "/",
        "--dev-bind",
        "/dev",
        "/dev",
        "--proc",
        "/proc",
        "true",
    ]
    return [_took(lambda: subprocess.run(argv, check=True)) for _ in range(15)]


_YARDS: dict[str, Callable[[], list[float]]] = {
    "bare python": _bare_python,
    "git commit": _git_commit,
    "fsynced append": _fsynced_append,
    "bwrap true": _bwrap_true,
}


def _took(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def machine() -> str:
    """One line: processors, kernel, Python, git, where the scratch repositories lie, how busy it was."""
    model = "processor"
    with suppress(OSError, IndexError):
        model = Path("/proc/cpuinfo").read_text().split("model name")[1].split("\n")[0].strip("\t: ")
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout.split()[2]
    kind = subprocess.run(
        ["stat", "--file-system", "--format=%T", tempfile.gettempdir()], capture_output=True, text=True, check=False
    ).stdout.strip()
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} × {model}, {platform.system()} {platform.release()}, Python {platform.python_version()}, git {git}, "
        f"scratch on {kind}, load {load:.1f}"
    )
