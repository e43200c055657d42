"""The snapshots that are kept: found by cycle or session from their manifests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from agentops.core.errors import UsageError
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest, load

PRE, POST = "pre", "post"


@dataclass(frozen=True, slots=True)
class Kept:
    """One manifest file. `number` counts the looks under one name, from 1."""

    run: str
    cycle: int
    name: str
    number: int
    path: str

    def manifest(self) -> Manifest:
        return load(self.path)


def kept(checkout: Checkout) -> Iterator[Kept]:
    """All of them, in no order."""
    base = os.path.join(checkout.repository.state, "snapshots")
    for run in _names(base):
        for cycle in _names(os.path.join(base, run)):
            folder = os.path.join(base, run, cycle)
            for file in _names(folder):
                name, _, number = file.removesuffix(".json").rpartition("-")
                if file.endswith(".json") and number.isdigit() and cycle.isdigit():
                    yield Kept(run, int(cycle), name, int(number), os.path.join(folder, file))


def of_cycle(checkout: Checkout, cycle: int) -> tuple[Manifest, Manifest]:
    """Start and end of a cycle: the last look at each, of the run that looked last. Raises UsageError when there is none."""
    found = [(one, one.manifest()) for one in kept(checkout) if one.cycle == cycle and one.name in (PRE, POST)]
    found = [pair for pair in found if not pair[0].run.startswith(("restore-", "undo-"))]
    ends = [pair for pair in found if pair[0].name == POST]
    if not ends:
        raise UsageError(f"Cycle {cycle} left no snapshot here, or it is older than 30 days.", mend="ao history")
    last, post = max(ends, key=lambda pair: (pair[1].taken_ns, pair[0].number))
    starts = [one for kind, one in found if kind.name == PRE and kind.run == last.run and one.taken_ns <= post.taken_ns]
    if not starts:
        raise UsageError(f"The start of cycle {cycle} is not kept any more.", mend="ao history")
    return max(starts, key=lambda one: one.taken_ns), post


def of_session(checkout: Checkout, session: str) -> list[tuple[Manifest, Manifest | None]]:
    """A session's cycles in order, each with its first start and its last end."""
    by_cycle: dict[tuple[str, int], list[tuple[Kept, Manifest]]] = {}
    for one in kept(checkout):
        if one.run == session or one.run.startswith(f"{session}."):
            by_cycle.setdefault((one.run, one.cycle), []).append((one, one.manifest()))
    cycles: list[tuple[Manifest, Manifest | None]] = []
    for looks in by_cycle.values():
        starts = [manifest for one, manifest in looks if one.name == PRE]
        ends = [manifest for one, manifest in looks if one.name == POST]
        if starts:
            first = min(starts, key=lambda one: one.taken_ns)
            cycles.append((first, max(ends, key=lambda one: one.taken_ns) if ends else None))
    return sorted(cycles, key=lambda pair: pair[0].taken_ns)


def stamp(wall: float) -> str:
    """A name for an act of a person's, unique enough: its time in microseconds."""
    return f"{int(wall * 1e6):x}"


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
