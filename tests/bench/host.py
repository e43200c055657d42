"""Figures of the launcher on this machine: `python tests/bench/host.py`. Ratios to a bare process or `cat` where one exists."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable

from agentops.core.processes import Limits, SandboxLevel, Spec
from agentops.host import sandbox
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope

CLOCK = SystemClock()
SCOPE = StopScope(CLOCK, [StopFile("/no/such/KILL", 0), StopFile("/no/such/STOP", 1.5)])
ENV = dict(os.environ)
QUIET = Limits(head=1024, tail=1024)


def seconds(act: Callable[[], object], times: int) -> tuple[float, float]:
    """(least, median) of so many times."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return min(taken), statistics.median(taken)


def show(what: str, least: float, median: float, base: float | None = None, note: str = "") -> None:
    ratio = f"{median / base:6.2f}x" if base else "       "
    print(f"{what:<44} {least * 1e3:9.2f} ms {median * 1e3:9.2f} ms {ratio} {note}", flush=True)


def launching() -> None:
    bare = seconds(lambda: subprocess.run(["true"], capture_output=True, check=True), 60)
    show("bare subprocess.run(true)", *bare)
    launcher = Launcher(CLOCK)
    plain = Spec(("true",), "/", ENV, contained=False)
    show("plain run", *seconds(lambda: launcher.run(plain, SCOPE), 60), bare[1])
    for level in (SandboxLevel.BWRAP, SandboxLevel.UNSHARE, SandboxLevel.GROUP):
        if sandbox.works(level):
            held = Launcher(CLOCK, level)
            held.run(Spec(("true",), "/", ENV), SCOPE)
            show(f"contained run, {level}", *seconds(lambda held=held: held.run(Spec(("true",), "/", ENV), SCOPE), 30), bare[1])  # type: ignore[misc]
    git = Git(launcher, SCOPE, os.path.dirname(__file__))
    direct = seconds(lambda: subprocess.run(["git", "rev-parse", "HEAD"], cwd=git.cwd, capture_output=True, check=True), 40)
    show("bare git rev-parse", *direct)
    show("git door rev-parse", *seconds(lambda: git.run("rev-parse", "HEAD"), 40), direct[1])


def output() -> None:
    launcher, size = Launcher(CLOCK), 1_000_000_000
    flood = ("bash", "-c", f"yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c {size}")
    cat = seconds(lambda: subprocess.run(["bash", "-c", f"{flood[2]} | cat > /dev/null"], check=True), 3)
    show("1 GB | cat > /dev/null", *cat)
    show("1 GB through the launcher", *seconds(lambda: launcher.run(Spec(flood, "/", ENV, limits=QUIET), SCOPE), 3), cat[1])
    count, lines = [0], 2_000_000

    def on_line(_line: bytes) -> None:
        count[0] += 1

    spec = Spec(("bash", "-c", f"yes '{'x' * 120}' | head -n {lines}"), "/", ENV, limits=QUIET)
    least, median = seconds(lambda: launcher.run(spec, SCOPE, on_line), 3)
    assert count[0] == 3 * lines
    show(
        f"{lines:,} lines of 120 bytes",
        least,
        median,
        note=f"{median / lines * 1e6:.2f} us a line, {lines / median:,.0f} lines/s",
    )


def ending(folder: str) -> None:
    script = "for i in $(seq 40); do sleep 300 & done; echo ready; wait"
    for level in (SandboxLevel.BWRAP, SandboxLevel.UNSHARE, SandboxLevel.GROUP):
        if not sandbox.works(level):
            continue
        launcher, taken = Launcher(CLOCK, level), []
        for _ in range(5):
            stop, began = os.path.join(folder, "STOP"), [0.0]

            def on_line(_line: bytes, stop: str = stop, began: list[float] = began) -> None:
                os.close(os.open(stop, os.O_CREAT | os.O_WRONLY))
                began[0] = time.perf_counter()

            scope = StopScope(CLOCK, [StopFile(stop, 0)], poll=0.2)
            done = launcher.run(Spec(("bash", "-c", script), "/", ENV), scope, on_line)
            taken.append(time.perf_counter() - began[0])
            os.unlink(stop)
            assert done.survivors == 0
        show(f"stop file to 41 processes gone, {level}", min(taken), statistics.median(taken), note="polled every 200 ms")


def main() -> None:
    import tempfile

    print(f"{'':<44} {'least':>12} {'median':>12}")
    launching()
    output()
    with tempfile.TemporaryDirectory() as folder:
        ending(folder)


if __name__ == "__main__":
    main()
