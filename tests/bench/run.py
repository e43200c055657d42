"""Runs benches and prints one table: `scripts/bench [GROUP…] [--runs N] [--json]`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence

from tests.bench.measuring import Figure, machine

GROUPS = ("startup", "loop", "stops", "output", "goals", "tree", "host", "ladder", "demo")
"""Modules beside this one: with `figures(runs)`, or run by themselves and printing lines of their own."""
_HEAD = ("figure", "measured", "min", "median", "max", "runs", "×", "bar", "")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Figures of this machine, none of them asserted.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", choices=(*GROUPS, []), help=f"of {', '.join(GROUPS)}; all")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how often each figure is measured (3)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    asked = parser.parse_args(argv)
    groups = asked.groups or [name for name in GROUPS if os.path.exists(os.path.join(os.path.dirname(__file__), f"{name}.py"))]
    on, when = machine(), time.strftime("%Y-%m-%d %H:%M", time.localtime())
    found: list[Figure] = []
    lines: dict[str, list[str]] = {}
    failed: dict[str, str] = {}
    for name in groups:
        print(f"{name} …", file=sys.stderr, flush=True)
        try:
            _measure(name, max(1, asked.runs), found, lines)
        except Exception as error:
            failed[name] = f"{type(error).__name__}: {error}"
    if asked.json:
        facts = [one.facts() for one in found]
        print(json.dumps({"machine": on, "when": when, "figures": facts, "lines": lines, "failed": failed}, indent=2))
    else:
        print(f"{when}; {on}")
        print("\n".join(table(found)))
        for name, printed in lines.items():
            print(f"\n{name}\n" + "\n".join(f"  {line}" for line in printed))
        for name, why in failed.items():
            print(f"\n{name} could not be measured: {why}")
    return 1 if failed else 0


def _measure(name: str, runs: int, found: list[Figure], lines: dict[str, list[str]]) -> None:
    module = importlib.import_module(f"tests.bench.{name}")
    if hasattr(module, "figures"):
        for figure in module.figures(runs):
            found += (figure,)  # one by one: what was measured before a failure is printed
        return
    said = subprocess.run([sys.executable, "-m", module.__name__], stdout=subprocess.PIPE, text=True, check=True).stdout
    lines[name] = said.splitlines()


def table(found: Sequence[Figure]) -> list[str]:
    """Columns of plain text."""
    rows = [_HEAD, *(_cells(one) for one in found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    right = range(2, 6)
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cells(one: Figure) -> tuple[str, ...]:
    ratio = f"{one.ratio:.1f} × {one.yardstick} ({_number(one.yard or 0.0)} {one.unit})" if one.ratio is not None else ""
    bar = "" if one.bar is None else f"≤ {one.bar:g} {one.unit}".rstrip() + (" worst" if one.worst_counts else "")
    word = {True: "ok", False: "MISSED", None: ""}[one.reached]
    numbers = (_number(min(one.samples)), _number(one.median), f"{_number(max(one.samples))} {one.unit}".rstrip())
    return (f"{one.group}: {one.name}", one.what, *numbers, str(len(one.samples)), ratio, bar, word)


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}" if abs(value) >= 1 else f"{value:.3f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
