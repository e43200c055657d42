"""The command line of the torture: `scripts/torture [faults|acts|stops|simulate|all]`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase

from tests.torture import acts, faults, stops
from tests.torture.scenarios import STORIES
from tests.torture.telling import Tally, side_by_side

WHATS = ("faults", "acts", "stops", "simulate")
TWICE = ("journal.started.after:1:kill", "journal.verdict.after:1:kill", "journal.ended.after:1:kill")
ACTS = 2000
CYCLES = 10_000


def main(argv: list[str] | None = None) -> int:
    """0 when all held, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="scripts/torture", description="Breaks `ao evolve` on purpose and counts every byte.")
    parser.add_argument("what", nargs="?", default="all", choices=(*WHATS, "all"))
    parser.add_argument("--seed", type=int, help="of the first act (default: the time), or of the simulation (default: 1)")
    parser.add_argument("--count", type=int, help=f"acts ({ACTS}), simulated cycles ({CYCLES}), or at most so many faults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep-failed", action="store_true", help="leave the folders of failed trials behind")
    parser.add_argument("--ends", action="store_true", help="faults: kill the first and last time a point is passed, not each")
    parser.add_argument("--at", metavar="GLOB", default="*", help="faults: only at points with such a name, as `queue.*`")
    parser.add_argument("--only", metavar="NAME", help="one case as it was printed, or for faults a story's name")
    given = parser.parse_args(argv)
    given.seed_of_acts = given.seed if given.seed is not None else int(time.time())
    whats = WHATS if bool(given.what == "all") else (given.what,)
    good = [RUN[what](given) for what in whats]
    return 0 if all(good) else 1


def _faults(given: argparse.Namespace) -> bool:
    tally = Tally("faults")
    if given.only and "/" in given.only:
        tally.take([faults.run(faults.parse(given.only, given.keep_failed))])
    else:
        names = [given.only] if given.only else list(STORIES)
        cases = faults.all_cases(names, ends_only=given.ends, actions=("kill",), keep_failed=given.keep_failed)
        cases += faults.all_cases(names, ends_only=True, actions=("error", "enospc"), keep_failed=given.keep_failed)
        for first in TWICE if "regressed" in names else ():
            cases += faults.twice_cases("regressed", first, given.keep_failed)
        cases = [case for case in cases if fnmatchcase(case.faults[-1].rsplit(":", 2)[0], given.at)]
        points = {(case.story, case.faults[0].rsplit(":", 2)[0]) for case in cases}
        print(f"faults: {len(cases)} cases at {len(points)} points of {len(names)} stories", flush=True)
        cases = cases[: given.count]
        tally.take(side_by_side(faults.run, cases, given.jobs), len(cases))
    tally.sum_up()
    return not tally.failed


def _acts(given: argparse.Namespace) -> bool:
    first, count = given.seed_of_acts, given.count if given.count is not None else ACTS
    points = acts.points()
    print(f"acts: seeds {first} to {first + count - 1}", flush=True)
    tally = Tally("acts")
    jobs = [(seed, points, given.keep_failed) for seed in range(first, first + count)]
    tally.take(side_by_side(acts.run, jobs, given.jobs), len(jobs))
    tally.sum_up()
    return not tally.failed


def _stops(given: argparse.Namespace) -> bool:
    cases = [case for case in stops.all_cases(given.keep_failed) if given.only in (None, str(case))]
    tally = Tally("stops")
    trials = list(side_by_side(stops.run, cases[: given.count], given.jobs))
    tally.take(trials)
    tally.sum_up()
    print(f"  from the word to the last process: {stops.spread(trials)}")
    return not tally.failed


def _simulate(given: argparse.Namespace) -> bool:
    """Ten thousand cycles of the real loop on twins of everything that is slow."""
    try:
        simulation = importlib.import_module("tests.twins.simulation")
    except ImportError as error:
        print(f"simulate: not here ({error})")
        return bool(given.what == "all")
    seed, cycles = given.seed if given.seed is not None else 1, given.count if given.count is not None else CYCLES
    began = time.monotonic()
    try:
        summary = simulation.simulate(seed, cycles)
    except AssertionError as error:
        print(f"FAILED simulate: {error}\n  again: scripts/torture simulate --seed {seed} --count {cycles}", file=sys.stderr)
        return False
    print(f"simulate: seed {seed}, {cycles} cycles in {time.monotonic() - began:.1f} s: {summary}")
    if summary.failures:
        print(f"  again: scripts/torture simulate --seed {seed} --count {cycles}", file=sys.stderr)
    return not bool(summary.failures)


RUN: dict[str, Callable[[argparse.Namespace], bool]] = {"faults": _faults, "acts": _acts, "stops": _stops, "simulate": _simulate}

if __name__ == "__main__":
    sys.exit(main())
