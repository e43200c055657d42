"""What the loop costs by itself: seconds, processes and syncs of a cycle beside its agents, its checks and their launchers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.bench.measuring import Figure, Goal, Ground, ground, yardstick

CYCLES = 5
_AGENT = 'echo "$EPOCHREALTIME"\n[ "$AO_PHASE" != implementation ] || echo yes > "done/$AO_TARGET"'
_TRACED = "trace=execve,fsync,fdatasync,sync_file_range,sync,syncfs"
_LINE = re.compile(r"^(\d+) +(\d+\.\d+) (.*)$")
_EXEC = re.compile(r'execve\("([^"]+)", (\[.*?\])')
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
    """One cycle as strace saw it: from its first agent's exec to the next cycle's."""

    seconds: float
    launched: float
    processes: tuple[str, ...]
    syncs: int

    @property
    def own(self) -> float:
        return self.seconds - self.launched


def figures(runs: int) -> Iterator[Figure]:
    for setting in SETTINGS:
        yield from _figures(setting, runs)


def _figures(setting: Setting, runs: int) -> Iterator[Figure]:
    goals = [Goal(f"g-{at}", f"test -f done/g-{at}") for at in range(CYCLES)]
    wall: list[float] = []
    with ground(setting.files, setting.dirty, setting.rows, goals, _AGENT) as here:
        for _ in range(runs):
            here.run(here.evolve("--max-cycles", str(CYCLES)))
            begun = sorted(here.stamp(path.name.removesuffix(".log")) for path in _discoveries(here))
            wall += [later - sooner for sooner, later in pairwise(begun)]
            _again(here, setting)
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
    if not traced:
        return
    launched = sorted(one.launched for one in traced)[len(traced) // 2]
    own = tuple(one - launched for one in wall)
    less = f"{setting.name}; less {launched:.3f} s of agents, checks and launchers"
    yield Figure("loop", "own time of a cycle", less, "s", own, setting.own, "git commit", commit)
    yield Figure("loop", "own time, traced", f"{setting.name}; each by its own launches", "s", tuple(one.own for one in traced))
    processes = tuple(float(len(one.processes)) for one in traced)
    yield Figure("loop", "processes of a cycle", f"{setting.name}; beside agents, checks, launchers", "", processes, 25)
    syncs = tuple(float(one.syncs) for one in traced)
    yield Figure("loop", "syncs of a cycle", f"{setting.name}; fsync and the like, by anybody", "", syncs, 35)


def cycles(lines: Iterable[str], agent: str) -> list[Traced]:
    """The whole cycles of a trace. A launch lasts from the exec of its launcher to the launcher's end; they may overlap."""
    execs: list[tuple[float, str, str]] = []
    syncs: list[float] = []
    launches: list[tuple[float, float]] = []
    running: dict[str, float] = {}
    for line in lines:
        if (seen := _LINE.match(line)) is None:
            continue
        pid, at, rest = seen[1], float(seen[2]), seen[3]
        if (called := _EXEC.match(rest)) is not None and "= -1" not in rest:
            execs.append((at, called[1], called[2]))
            if Path(called[1]).name in _LAUNCHERS:
                running[pid] = at
        elif rest.startswith("+++") and pid in running:
            launches.append((running.pop(pid), at))
        elif "sync" in rest.partition("(")[0]:
            syncs.append(at)
    starts = [at for at, path, _ in execs if path == agent][::3]
    found = []
    for sooner, later in pairwise(starts):
        # The first agent's launcher began before the agent did; the cut is the same at both ends.
        own = tuple(words for at, path, words in execs if sooner <= at < later and _is_own(path, words, agent))
        spent = _union((max(sooner, start), min(later, end)) for start, end in launches if start < later and end > sooner)
        found.append(Traced(later - sooner, spent, own, sum(sooner <= at < later for at in syncs)))
    return found


def _is_own(path: str, words: str, agent: str) -> bool:
    """Not an agent, not a check (bash without its start files), not a launcher or its shim."""
    return path != agent and Path(path).name not in _LAUNCHERS and "--noprofile" not in words and "shim.py" not in words


def _union(spans: Iterable[tuple[float, float]]) -> float:
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


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
