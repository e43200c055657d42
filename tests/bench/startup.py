"""How long until something happens: `ao --help`, and `ao evolve` to its first agent."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from tests.bench.measuring import Figure, Goal, ao, ground, yardstick

_STAMP = 'echo "$EPOCHREALTIME"\n[ "$AO_PHASE" != implementation ] || echo yes > "done/$AO_TARGET"'


def figures(runs: int) -> Iterator[Figure]:
    yield _above_python("ao --help", (ao(), "--help"), runs, 60.0)
    yield _above_python("ao --version", (ao(), "--version"), runs, None)
    seconds = tuple(_to_first_agent() for _ in range(runs))
    what = "process start of `ao evolve` to the agent's own first stamp; 20 files, 3 goals, a new repository each time"
    yield Figure("startup", "first agent", what, "s", seconds, 0.45, "bare python", yardstick("bare python"))


def _above_python(name: str, argv: tuple[str, ...], runs: int, bar: float | None) -> Figure:
    """In turn with bare Python, so that both see the same machine; the first pair only warms up."""
    bare, ours = [], []
    for _ in range(max(runs, 10) + 1):
        bare.append(_seconds((sys.executable, "-c", "pass")))
        ours.append(_seconds(argv))
    yard = sorted(bare[1:])[len(bare) // 2]
    above = tuple((one - yard) * 1000 for one in ours[1:])
    return Figure("startup", name, "whole process, above bare Python", "ms", above, bar, "bare python", yard * 1000)


def _seconds(argv: tuple[str, ...]) -> float:
    began = time.perf_counter()
    subprocess.run(argv, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def _to_first_agent() -> float:
    goals = [Goal(f"g-{at}", f"test -f done/g-{at}") for at in range(3)]
    with ground(goals=goals, agent=_STAMP) as here:
        began = time.time()
        here.run(here.evolve("--max-cycles", "1"))
        return here.stamp("1-discovery-1") - began
