"""Figures of goals and records, printed: `python tests/bench/goals.py`. Ratios say more than seconds on a shared machine."""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

from agentops.core.fitness import Goal
from agentops.core.judging import Result
from agentops.goals.document import GoalsDocument, parse, render
from agentops.goals.folder import Folder
from agentops.goals.measure import measure
from agentops.goals.pace import Pace
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.records import rows
from agentops.records.rows import CycleRow

CLOCK = SystemClock()


def took(act: Callable[[], object], times: int = 1) -> float:
    """Seconds of the quickest of so many tries."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
    return best


def document(checks: Sequence[str]) -> GoalsDocument:
    return GoalsDocument("GOALS.md", "", tuple(Goal(f"g-{at}", check, "d") for at, check in enumerate(checks)), (), b"")


def twice(goals: GoalsDocument, host: Launcher) -> tuple[float, float, Pace]:
    """Seconds of a measurement that knows nothing, and of the next one that knows what the first one saw."""
    with tempfile.TemporaryDirectory() as folder:
        place, pace = Folder(folder, os.environ), Pace()
        first = took(lambda: measure(goals, place, host, StopScope(CLOCK), whole=None, pace=pace))
        second = took(lambda: measure(goals, place, host, StopScope(CLOCK), whole=None, pace=pace))
    return first, second, pace


def side_by_side(name: str, check: str, count: int, serial: float, host: Launcher, runs: int = 3) -> None:
    goals = document([f"{check}; : {at}" for at in range(count)])
    seen = [twice(goals, host)[:2] for _ in range(runs)]
    first, second = (statistics.median(one) for one in zip(*seen, strict=True))
    print(f"{count} x {name}: {serial * count:.1f} s one by one, {first:.2f} s the first time, {second:.2f} s the second")


def spin(count: int) -> str:
    return f"for ((i=0; i<{count}; i++)); do :; done"


def longest_first(checks: Sequence[str], processors: int) -> None:
    """The ideal: the order is known and right, one shell for each processor, no sandbox, nobody who watches."""
    waiting, running = list(checks), [subprocess.Popen(("true",))]
    while waiting or running:
        running = [one for one in running if one.poll() is None]
        while waiting and len(running) < processors:
            running.append(subprocess.Popen(("bash", "--noprofile", "--norc", "-c", waiting.pop(0))))
        if running:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)


def against_the_ideal(host: Launcher, runs: int = 2) -> None:
    """50 checks that compute, from 5 to some 200 ms, beside the same ones started longest first by hand, turn by turn."""
    sizes = random.Random(1).sample(range(2_000, 102_000, 1_000), 50)
    goals = document([f"{spin(size)}; : {at}" for at, size in enumerate(sizes)])
    best = [goals.goals[at].check for at in sorted(range(50), key=lambda at: -sizes[at])]
    ideals, firsts, seconds = [], [], []
    for _ in range(runs):
        ideals.append(took(lambda: longest_first(best, os.cpu_count() or 1)))
        first, second, _ = twice(goals, host)
        firsts.append(first)
        seconds.append(second)
    ideal = statistics.median(ideals)
    print(
        f"50 mixed checks that compute: {ideal:.2f} s longest first by hand; {statistics.median(firsts) / ideal:.2f} x that the"
        f" first time, {statistics.median(seconds) / ideal:.2f} x the second (bar 1.10), load {os.getloadavg()[0]:.1f}"
    )


def ledger(path: str, count: int) -> None:
    row = CycleRow(1, "tests-green", Result.IMPROVED, "2026-11-30T21:00:00Z", sha="a" * 40, session_id="20261130-2304-a1b2")
    with open(path, "wb") as file:
        line = rows.encode(row) + b"\n"
        file.writelines(line.replace(b":1,", b":%d," % cycle, 1) for cycle in range(1, count + 1))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tail, last = took(lambda: rows.tail(path), 5), took(lambda: rows.last_cycle(path), 5)
    once = took(lambda: rows.append_once(path, CycleRow(count, "t", Result.IMPROVED, "x", session_id="20261130-2304-a1b2")), 5)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    size = os.path.getsize(path) / 1e6
    print(
        f"ledger of {count:,} rows ({size:.0f} MB): tail {tail * 1e3:.1f} ms, last cycle {last * 1e3:.1f} ms, "
        f"append_once of a known row {once * 1e3:.1f} ms, memory +{grown / 1024:.1f} MiB"
    )


def main() -> None:
    host = Launcher(CLOCK)
    print(f"level {host.level}, {os.cpu_count()} processors")
    side_by_side("sleep 0.2", "sleep 0.2", 50, 0.2, host)
    alone = took(lambda: os.system("bash -c 'for ((i=0; i<150000; i++)); do :; done'"), 3)
    side_by_side("computing", spin(150_000), 12, alone, host)
    against_the_ideal(host)
    side_by_side("true", "true", 50, took(lambda: os.system("bash -c true"), 5), host)
    goals = [Goal(f"g-{at}", f"make test-{at} | tail -1", "A description", timeout=90.0) for at in range(1000)]
    raw = render("m", goals).encode()
    print(f"parsing {len(goals)} goals ({len(raw) / 1024:.0f} KiB): {took(lambda: parse(raw), 3) * 1e3:.0f} ms")
    row = CycleRow(7, "tests-green", Result.IMPROVED, "2026-11-30T21:00:00Z", sha="a" * 40, session_id="s", run_id="s.1")
    line = rows.encode(row)
    encoding, decoding = took(lambda: rows.encode(row), 50), took(lambda: rows.decode(line), 50)
    print(f"a row: encode {encoding * 1e6:.0f} µs, decode {decoding * 1e6:.0f} µs")
    with tempfile.TemporaryDirectory() as folder:
        for count in (1_000, 1_000_000):
            ledger(os.path.join(folder, f"{count}.jsonl"), count)
            print(f"  durable append {took(lambda: rows.append(os.path.join(folder, 'small.jsonl'), row), 5) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
