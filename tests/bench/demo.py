"""How long a newcomer watches: the whole of `ao demo`, and what reading the configuration costs a start."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator

from agentops.policy.reading import read
from tests.bench.measuring import Figure, ao, yardstick

_SETTINGS = """\
[agent]
use = ["claude", "codex"]

[gate]
commands = ["make -k check", "npm test"]
require = true

[budget.session]
minutes = 480
usd = 20
"""


def figures(runs: int) -> Iterator[Figure]:
    bare = yardstick("bare python")
    seconds = tuple(_demo() for _ in range(runs))
    yield Figure(
        "demo",
        "ao demo",
        "the whole command, installed already: project, five cycles, report",
        "s",
        seconds,
        20.0,
        "bare python",
        bare,
    )
    with tempfile.TemporaryDirectory() as top:
        with open(os.path.join(top, "ao.toml"), "w", encoding="utf-8") as file:
            file.write(_SETTINGS)
        read(top, {"HOME": top})  # what is imported and made once is the start's cost, not the file's
        costs = tuple(_reading(top) for _ in range(max(runs, 10)))
    yield Figure(
        "demo",
        "configuration",
        "reading a file of nine lines with all its positions",
        "ms",
        costs,
        None,
        "bare python",
        bare * 1000,
    )


def _demo() -> float:
    began = time.perf_counter()
    subprocess.run((ao(), "demo", "--no-keep"), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def _reading(top: str) -> float:
    began = time.perf_counter()
    read(top, {"HOME": top})
    return (time.perf_counter() - began) * 1000
