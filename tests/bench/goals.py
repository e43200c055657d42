"""Figures of goals and records, printed: `python tests/bench/goals.py`. Ratios say more than seconds on a shared machine."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Callable

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


def side_by_side(name: str, check: str, count: int, serial: float, host: Launcher) -> None:
    document = GoalsDocument("GOALS.md", "", tuple(Goal(f"g-{at}", f"{check}; : {at}", "d") for at in range(count)), (), b"")
    with tempfile.TemporaryDirectory() as folder:
        place, pace = Folder(folder, os.environ), Pace()
        first = took(lambda: measure(document, place, host, StopScope(CLOCK), whole=None, pace=pace))
        second = took(lambda: measure(document, place, host, StopScope(CLOCK), whole=None, pace=pace))
    print(f"{count} x {name}: {serial * count:.1f} s one by one, {first:.2f} s the first time, {second:.2f} s the second")


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
    side_by_side("computing", "for ((i=0; i<150000; i++)); do :; done", 12, alone, host)
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
