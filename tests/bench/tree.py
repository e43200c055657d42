"""What the tree's acts cost: time on 5,000 and 50,000 files, processes and fsyncs of a cycle's git part.

`python -m tests.bench.tree [files …]`. Each figure is the minimum and the median of several rounds; `CPU` is
our own time and that of the git commands, which a busy machine does not stretch as much; with strace the
system calls of one more round are counted (ours and those of the git commands that we start).
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agentops.tree.commits import commit_paths
from agentops.tree.inplace import InPlace
from tests.git.ground import Ground

ROUNDS = 5
PLACES: dict[str, InPlace] = {}
LEDGER = ".agents/evolve/cycle-history.jsonl"


def repository(base: Path, files: int) -> Ground:
    """So many small files, twenty a folder, committed and packed."""
    ground = Ground(base / "repo", base / "home")
    ground.home.mkdir()
    (ground.home / ".gitconfig").write_text("[user]\n\tname = Person\n\temail = person@example.org\n[gc]\n\tauto = 0\n")
    ground.top.mkdir()
    ground.git("init", "-q", "-b", "main")
    for number in range(files):
        ground.write(f"d{number // 400}/s{number // 20}/f{number}.txt", f"file {number}\n" * 8)
    ground.git("add", "-A")
    ground.git("commit", "-q", "-m", "start")
    ground.git("gc", "-q")
    ground.git("status")
    return ground


def round_trip(ground: Ground, number: int, keep: bool) -> dict[str, float]:
    """One cycle with two changed and one new file; seconds by act."""
    place = PLACES.get(str(ground.top)) or PLACES.setdefault(str(ground.top), ground.place())
    took: dict[str, float] = {}
    before = sum(os.times()[:4])

    def timed(name: str, act: Callable[[], object]) -> object:
        began = time.perf_counter()
        result = act()
        took[name] = time.perf_counter() - began
        return result

    began = time.perf_counter()
    start = place.begin(number)
    took["pre"] = time.perf_counter() - began
    ground.write("d0/s0/f1.txt", f"changed in {number} {keep}\n")
    ground.write("d0/s0/f2.txt", f"changed in {number} {keep}\n")
    ground.write(f"new{number}.txt", "new\n")
    began = time.perf_counter()
    effect = place.effect(start)
    took["post and effect"] = time.perf_counter() - began
    if keep:
        timed("keep", lambda: place.keep(start, effect, "work"))
        ground.write(LEDGER, f"{number}\n")
        timed("ledger commit", lambda: commit_paths(place.repository, place.checkout.git, [LEDGER], "evolve: row"))
    else:
        timed("take back", lambda: place.take_back(start, effect))
    took["all"] = sum(took.values())
    took["all, CPU"] = sum(os.times()[:4]) - before
    return took


def report(files: int) -> None:
    base = Path(tempfile.mkdtemp(prefix="ao-bench-tree-"))
    try:
        ground = repository(base, files)
        for keep in (False, True):
            rounds = [round_trip(ground, 2 * number + keep, keep) for number in range(1, ROUNDS + 1)]
            print(f"{files} files, {'keep' if keep else 'take back'}:")
            for name in rounds[0]:
                times = [one[name] * 1000 for one in rounds]
                print(f"  {name:16} min {min(times):7.1f} ms   median {statistics.median(times):7.1f} ms")
        if shutil.which("strace"):
            for keep in (False, True):
                count(ground, base, keep)
    finally:
        shutil.rmtree(base)


def count(ground: Ground, base: Path, keep: bool) -> None:
    """The third round of a process of its own, between two marks that strace sees."""
    log = base / "strace.log"
    argv = [
        "strace",
        "-f",
        "-o",
        str(log),
        "-e",
        "trace=execve,fsync,fdatasync,sync,syncfs,unlink",
        sys.executable,
        "-m",
        "tests.bench.tree",
    ]
    subprocess.run([*argv, "--one", str(base), str(int(keep))], check=True, capture_output=True)
    text = log.read_text(errors="replace")
    span = text.split("ao-bench-begin")[1].split("ao-bench-end")[0]
    runs = re.findall(r'execve\("[^"]*git", \[(.*?)\][^\n]*= 0$', span, re.MULTILINE)
    syncs = len(re.findall(r"\b(?:fsync|fdatasync|sync|syncfs)\(", span))
    print(f"  {'keep' if keep else 'take back'}, counted: {len(runs)} processes, {syncs} syncs")
    if os.environ.get("AO_BENCH_LIST"):
        for one in runs:
            print("     ", re.sub(r'"-c", "[^"]*", |"--no-pager", ', "", one))


def one(base: Path, keep: bool) -> None:
    ground = Ground(base / "repo", base / "home")
    for number in (101, 102):
        round_trip(ground, number + 10 * keep, keep)
    for mark in ("begin", "end"):
        if mark == "end":
            round_trip(ground, 103 + 10 * keep, keep)
        try:
            os.unlink(base / f"ao-bench-{mark}")
        except FileNotFoundError:
            pass


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(Path(sys.argv[2]), sys.argv[3] == "1")
    else:
        for files in map(int, sys.argv[1:] or ["20", "5000", "50000"]):
            report(files)
