"""What choosing costs when the queue and the ledger are long: whole processes, and the policies by themselves."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from agentops.core.judging import Result
from agentops.evolve.breakers import tripped
from agentops.evolve.dormancy import idle_streak
from agentops.evolve.outcomes import Outcome
from agentops.evolve.quarantine import in_quarantine
from agentops.evolve.rest import resting
from agentops.evolve.standings import Standings
from agentops.records import rows
from tests.bench.measuring import Figure, ao, yardstick

SIZES = ((100, 0.12), (10_000, 0.15), (100_000, 0.5))
MEMORY = 120.0
ROWS = 1_000_000
NIGHT = 500
"""Cycles of one session: what breakers and rests look at, however long the ledger is."""
_KINDS = ("bug", "task", "feature", "tech-debt", "process-improvement")


def figures(runs: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="ao-ladder-") as folder:
        for size, bar in SIZES:
            yield from _select(Path(folder) / str(size), size, bar, max(runs, 5))
        yield from _policies(Path(folder), max(runs, 5))


def _select(repo: Path, size: int, bar: float, runs: int) -> Iterator[Figure]:
    _queue(repo / ".agents" / "rpi" / "next-work.jsonl", size)
    subprocess.run(["git", "init", "--quiet"], cwd=repo, check=True)
    argv = (ao(), "queue", "list", "--limit", "1", "--json")
    seconds, memory = [], []
    for _ in range(runs + 1):
        began = time.perf_counter()
        process = subprocess.Popen(argv, cwd=repo, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds.append(time.perf_counter() - began)
        memory.append(used.ru_maxrss / 1024)
        assert process.returncode == 0
    what = f"`ao queue list --limit 1`, whole process; {size:,} rows, all open"
    python = yardstick("bare python")
    yield Figure("ladder", "select", what, "s", tuple(seconds[1:]), bar, "bare python", python)
    yield Figure("ladder", "memory", what, "MiB", tuple(memory[1:]), MEMORY)


def _queue(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        for at in range(size):
            item = {
                "title": f"Item {at} of a long queue",
                "type": _KINDS[at % len(_KINDS)],
                "severity": ("low", "medium", "high")[at * 7 % 3],
                "source": "council-finding",
                "description": f"What is to be done about finding {at}.",
                "target_repo": "*",
                "consumed": False,
                "claim_status": "available",
            }
            row = {"source_epic": f"e{at}", "timestamp": "2026-01-01T00:00:00Z", "items": [item], "consumed": False}
            file.write(json.dumps({**row, "claim_status": "available", "claimed_by": None, "claimed_at": None}) + "\n")


def _policies(folder: Path, runs: int) -> Iterator[Figure]:
    ledger, book = folder / "ledger.jsonl", folder / "targets.json"
    _ledger(ledger)
    began = time.perf_counter()
    Standings(str(book), str(ledger)).catch_up()
    rebuilt = time.perf_counter() - began
    outcomes = [Outcome(at, f"t{at % 40}", Result.UNCHANGED, "target_unmoved", 10.0 * at) for at in range(NIGHT)]
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        standings = Standings(str(book), str(ledger))
        in_quarantine(standings.of)
        resting(outcomes)
        tripped(outcomes, 5000.0)
        idle_streak(outcomes)
        rows.last_cycle(str(ledger))
        seconds.append(time.perf_counter() - began)
    what = f"read the book, quarantine, rests and breakers of {NIGHT} cycles, last number; a ledger of {ROWS:,} rows"
    yield Figure("ladder", "policies", what, "s", tuple(seconds), 0.05)
    yield Figure("ladder", "count anew", f"the same ledger in one pass, {os.stat(ledger).st_size >> 20} MiB", "s", (rebuilt,))
    yield Figure("ladder", "memory", "this process after that pass", "MiB", (_memory(),))


def _ledger(path: Path) -> None:
    with path.open("w") as file:
        for at in range(1, ROWS + 1):
            result = ("improved", "unchanged", "regressed", "unchanged")[at % 4]
            row = {"cycle": at, "target": f"goal-{at % 300}", "result": result, "timestamp": "2026-01-01T00:00:00Z"}
            row |= {"sha": "abcdef0", "goals_passing": 10, "goals_total": 12, "reason": "target_reached", "session_id": "s"}
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    for figure in figures(3):
        print(figure, file=sys.stderr)
