"""Output without end, and output in bulk: time limits that hold, memory that stays, the cost of one agent event."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measuring import Figure, Goal, Ground, ground, peak_memory, until, write_goals
from tests.torture.ground import leftovers

LIMIT = 2.0
EVENTS = 100_000
_QUIET = [Goal("g", "test -f done/g")]


def figures(runs: int) -> Iterator[Figure]:
    idle = _idle_memory()
    agent = [_endless_agent() for _ in range(runs)]
    yield _ends("endless agent", tuple(one for one, _ in agent))
    yield _memory("endless agent", tuple(peak - idle for _, peak in agent))
    check = [_endless_check() for _ in range(runs)]
    yield _ends("endless check", tuple(one for one, _ in check))
    yield _memory("endless check", tuple(peak - idle for _, peak in check))
    yield _per_event(runs)


def _ends(name: str, seconds: tuple[float, ...]) -> Figure:
    what = f"`yes` limited to {LIMIT:g} s: its start → it is gone"
    return Figure("output", f"{name} ends", what, "s", seconds, 2.3, worst_counts=True)


def _memory(name: str, grown: tuple[float, ...]) -> Figure:
    what = "peak resident memory of the supervisor, above a run with a silent agent"
    return Figure("output", f"{name}, memory", what, "MiB", grown, 60.0, worst_counts=True)


def _idle_memory() -> float:
    with ground(goals=_QUIET) as here:
        process = here.start(here.evolve("--max-cycles", "1"))
        peak = peak_memory(process)
        if process.wait() != 0:
            raise RuntimeError(here.said())
        return peak


def _endless_agent() -> tuple[float, float]:
    """The first attempt's start to the second one's: all that an attempt costs is in it."""
    with ground(goals=_QUIET, agent='echo "$EPOCHREALTIME"\n[ "$AO_ATTEMPT" != 1 ] || exec yes') as here:
        process = here.start(here.evolve("--max-cycles", "1", "--phase-timeout", f"{LIMIT:g}s"))
        peak = peak_memory(process)
        if process.wait() != 0:
            raise RuntimeError(here.said())
        return here.stamp("1-discovery-2") - here.stamp("1-discovery-1"), peak


def _endless_check() -> tuple[float, float]:
    """Seen from outside: from the first sight of `yes` to its end."""
    with ground() as here:
        script = here.script("noise", "exec -a bench-noise yes")
        write_goals(here, [Goal("g", f"exec {script}", LIMIT)])
        here.git("commit", "--quiet", "--all", "--message", "Goals")
        process = here.start(here.evolve("--max-cycles", "1"))
        until(lambda: bool(leftovers(here.mark, "bench-noise")), process)
        began = time.perf_counter()
        until(lambda: not leftovers(here.mark, "bench-noise"), process)
        seconds = time.perf_counter() - began
        here.stop_file.parent.mkdir(parents=True, exist_ok=True)
        here.stop_file.touch()
        return seconds, peak_memory(process)


def _per_event(runs: int) -> Figure:
    """Wall of a whole session whose discovery prints so many lines, less that of one that prints none."""
    with ground(goals=_QUIET) as here:
        lines = here.folder / "lines"
        lines.write_bytes((b'{"type":"item","text":"' + b"x" * 975 + b'"}\n') * EVENTS)
        yard = min(_cat(lines, here.folder / "copy") for _ in range(runs)) / EVENTS * 1000
        here.script("agent", f'[ "$AO_PHASE" != discovery ] || [ ! -e {here.folder}/loud ] || exec cat {lines}')
        cost = []
        for _ in range(runs + 1):
            silent = _session(here)
            (here.folder / "loud").touch()
            cost.append((_session(here) - silent) / EVENTS * 1000)
            (here.folder / "loud").unlink()
    what = f"{EVENTS:,} lines of 1 kB in one phase, whole session less a silent one, per line"
    return Figure("output", "agent event", what, "ms", tuple(cost[1:]), 0.1, "cat into a file", yard)


def _session(here: Ground) -> float:
    shutil.rmtree(here.state, ignore_errors=True)
    shutil.rmtree(here.repo / ".agents", ignore_errors=True)
    return here.run(here.evolve("--max-cycles", "1"))


def _cat(source: Path, target: Path) -> float:
    began = time.perf_counter()
    shutil.copyfile(source, target)
    return time.perf_counter() - began
