"""What the loop costs by itself: seconds, processes and syncs of a cycle beside its agents, its checks and their launchers."""

from __future__ import annotations

import os
import re
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from agentops.core.processes import Mounts, Spec
from agentops.host.sandbox import strongest, wrap
from tests.bench.measuring import Figure, Goal, Ground, ground, yardstick

CYCLES = 5
_AGENT = 'echo "$EPOCHREALTIME"\n[ "$AO_PHASE" != implementation ] || echo yes > "done/$AO_TARGET"'
_TRACED = "trace=execve,fsync,fdatasync,sync_file_range,sync,syncfs"
_LINE = re.compile(r"^\d+ +(\d+\.\d+) (.*)$")
_EXEC = re.compile(r'execve\("([^"]+)", (\[.*?\])')
_SYNCS = ("fsync(", "fdatasync(", "sync_file_range(", "sync(", "syncfs(")
_LAUNCHERS = frozenset({"bwrap", "unshare"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A repository to run in. `own`: the bar for the supervisor's own seconds per cycle."""

    name: str
    files: int
    dirty: int
    rows: int
    own: float


SETTINGS = (Setting("20 files", 20, 0, 0, 0.15), Setting("5,000 files, 50 dirty, 1M rows", 5000, 50, 1_000_000, 0.35))


@dataclass(frozen=True, slots=True)
class Traced:
    """One cycle as strace saw it: from its first agent's exec to the next cycle's. Counts only: tracing stretches time."""

    processes: tuple[str, ...]
    syncs: int


def figures(runs: int) -> Iterator[Figure]:
    for setting in SETTINGS:
        yield from _figures(setting, runs)


def _figures(setting: Setting, runs: int) -> Iterator[Figure]:
    goals = [Goal(f"g-{at}", f"test -f done/g-{at}") for at in range(CYCLES)]
    wall: list[float] = []
    computed: list[float] = []
    with ground(setting.files, setting.dirty, setting.rows, goals, _AGENT) as here:
        for _ in range(runs):
            before = _children_cpu()
            here.run(here.evolve("--max-cycles", "1"))
            single = _children_cpu() - before
            _again(here, setting)
            before = _children_cpu()
            here.run(here.evolve("--max-cycles", str(CYCLES)))
            computed.append((_children_cpu() - before - single) / (CYCLES - 1))
            begun = sorted(here.stamp(path.name.removesuffix(".log")) for path in _discoveries(here))
            wall += [later - sooner for sooner, later in pairwise(begun)]
            _again(here, setting)
        launched = statistics.median(launches(here) for _ in range(9))
        traced: list[Traced] = []
        if shutil.which("strace") is not None:
            for _ in range(max(1, runs // 2)):
                trace = here.folder / "trace"
                command = ("strace", "-f", "--seccomp-bpf", "-q", "-ttt", "-s", "200", "-e", _TRACED, "-o", str(trace))
                here.run((*command, *here.evolve("--max-cycles", str(CYCLES))))
                traced += cycles(trace.read_text(errors="replace").splitlines(), str(here.agent))
                _again(here, setting)
    commit = yardstick("git commit")
    what = f"{setting.name}; three stub launches, {CYCLES} checks a cycle"
    yield Figure("loop", "wall of a cycle", what, "s", tuple(wall), None, "git commit", commit)
    all_of_it = f"{setting.name}; user and system, git, agents, checks and launchers included"
    yield Figure("loop", "CPU of a cycle", all_of_it, "s", tuple(computed), None, "git commit", commit)
    less = f"{setting.name}; less {launched:.3f} s that the same launches take without us"
    yield Figure(
        "loop", "own time of a cycle", less, "s", tuple(one - launched for one in wall), setting.own, "git commit", commit
    )
    if not traced:
        return
    processes = tuple(float(len(one.processes)) for one in traced)
    yield Figure("loop", "processes of a cycle", f"{setting.name}; beside agents, checks, launchers", "", processes, 25)
    syncs = tuple(float(one.syncs) for one in traced)
    yield Figure("loop", "syncs of a cycle", f"{setting.name}; fsync and the like, by anybody", "", syncs, 35)


def cycles(lines: Iterable[str], agent: str) -> list[Traced]:
    """The whole cycles of a trace."""
    execs: list[tuple[float, str, str]] = []
    syncs: list[float] = []
    for line in lines:
        if (seen := _LINE.match(line)) is None:
            continue
        at, rest = float(seen[1]), seen[2]
        if (called := _EXEC.match(rest)) is not None and "= -1" not in rest:
            execs.append((at, called[1], called[2]))
        elif rest.startswith(_SYNCS):
            syncs.append(at)
    starts = [at for at, path, _ in execs if path == agent][::3]
    found = []
    for sooner, later in pairwise(starts):
        own = tuple(words for at, path, words in execs if sooner <= at < later and _is_own(path, words, agent))
        found.append(Traced(own, sum(sooner <= at < later for at in syncs)))
    return found


def _is_own(path: str, words: str, agent: str) -> bool:
    """Not an agent, not a check (bash without its start files), not a launcher or its shim."""
    return path != agent and Path(path).name not in _LAUNCHERS and "--noprofile" not in words and "shim.py" not in words


def launches(here: Ground) -> float:
    """Seconds that a cycle's agents (one after the other) and checks (two at a time) take when a bare loop starts them."""
    level = strongest()
    mounts = Mounts(read_only=(str(here.repo / ".git" / "config"), str(here.repo / ".git" / "hooks"), str(here.state)))
    env = {**here.env(), "AO_PHASE": "discovery", "AO_TARGET": "none"}
    said, talk = os.pipe()
    read, held = os.pipe()
    fds = (talk, read)

    def start(*argv: str) -> subprocess.Popen[bytes]:
        spec = Spec(argv, str(here.repo), env, mounts=mounts)
        return subprocess.Popen(wrap(spec, level, *fds), cwd=here.repo, env=env, stdout=subprocess.DEVNULL, pass_fds=fds)

    began = time.perf_counter()
    for _ in range(3):
        start(str(here.agent)).wait()
    running: list[subprocess.Popen[bytes]] = []
    for number in range(CYCLES):
        running.append(start("bash", "--noprofile", "--norc", "-c", f"test -f done/g-{number}"))
        if len(running) == 2:
            running.pop(0).wait()
    for one in running:
        one.wait()
    seconds = time.perf_counter() - began
    for fd in (said, talk, read, held):
        os.close(fd)
    return seconds


def _children_cpu() -> float:
    """Seconds of CPU of all that we have waited for, and they in turn: steady where the machine is shared."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _discoveries(here: Ground) -> list[Path]:
    return sorted((here.state / "transcripts").glob("*-discovery-1.log"))


def _again(here: Ground, setting: Setting) -> None:
    """The repository as it was: the same number of files, dirty ones and rows; a session of its own."""
    shutil.rmtree(here.state)
    for path in (here.repo / "done").glob("g-*"):
        path.unlink()
    here.git("add", "--all", "done")
    here.git("commit", "--quiet", "--message", "Again")
    if not setting.rows:
        shutil.rmtree(here.repo / ".agents", ignore_errors=True)
        here.git("add", "--all")
        here.git("commit", "--quiet", "--allow-empty", "--message", "Again")
