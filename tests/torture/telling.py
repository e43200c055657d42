"""What a torture found: counts, and every failure with the command that reproduces it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
EACH_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial's result. `again` reproduces it. `wrong` is empty when all held; `counts` are added up over trials."""

    name: str
    again: str
    wrong: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    kept: str = ""


@dataclass(slots=True)
class Tally:
    """Trials added up; prints failures as they come."""

    what: str
    trials: int = 0
    failed: list[Trial] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def take(self, trials: Iterable[Trial], of: int = 0) -> bool:
        """`of`: how many there are; then a line tells every minute how far it is."""
        told = time.monotonic()
        for trial in trials:
            if of and time.monotonic() - told >= EACH_SECONDS:
                told = time.monotonic()
                print(f"{self.what}: {self.trials} of {of}, {len(self.failed)} failed", file=sys.stderr, flush=True)
            self.trials += 1
            self.seconds += trial.seconds
            self.counts.update(trial.counts)
            if trial.wrong:
                self.failed.append(trial)
                print(f"FAILED {self.what}: {trial.name}", *(f"  {one}" for one in trial.wrong), sep="\n", file=sys.stderr)
                print(f"  again: {trial.again}" + (f"\n  kept:  {trial.kept}" if trial.kept else ""), file=sys.stderr, flush=True)
        return not self.failed

    def sum_up(self) -> None:
        mean = self.seconds / self.trials if self.trials else 0.0
        print(f"{self.what}: {self.trials} trials, {len(self.failed)} failed, {mean:.2f} s each")
        for name, number in sorted(self.counts.items()):
            print(f"  {name}: {number}")


def side_by_side(work: Callable[[T], Trial], items: Sequence[T], jobs: int) -> Iterable[Trial]:
    """Every item once, `jobs` at a time, as they end."""
    if jobs <= 1 or len(items) <= 1:
        yield from map(work, items)
        return
    with get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(work, items)
