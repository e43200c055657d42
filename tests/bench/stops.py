"""From the STOP file to the last process gone, wherever the session is; agents that obey and agents that do not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.measuring import Figure, Goal, Ground, gone, ground, until, write_goals
from tests.torture.ground import leftovers

_HONOURS = "exec -a bench-hangs sleep 900"
_STUBBORN = """trap '' TERM INT HUP
(setsid bash -c 'trap "" TERM INT HUP; exec -a bench-hidden sleep 900' &)
exec -a bench-hangs sleep 900"""
AT_ONCE, WORST = 0.5, 2.0


def figures(runs: int) -> Iterator[Figure]:
    for kind, script, bar in (("obeys", _HONOURS, AT_ONCE), ("ignores SIGTERM, double fork", _STUBBORN, WORST)):
        for where, one in (("phase", in_phase), ("measurement", in_measurement), ("gate", in_gate)):
            yield _figure(f"{where}, {kind}", tuple(one(script) for _ in range(runs)), bar)
    yield _figure("parked", tuple(parked() for _ in range(runs)), AT_ONCE)
    yield _figure("own work", tuple(in_own_work() for _ in range(runs)), AT_ONCE)


def _figure(name: str, seconds: tuple[float, ...], bar: float) -> Figure:
    what = "STOP written → last process of the session gone"
    return Figure("stops", name, what, "s", seconds, bar, worst_counts=True)


def in_phase(script: str) -> float:
    """While an agent runs."""
    with ground(goals=[Goal("g", "test -f done/g")], agent=script) as here:
        return _stopped(here, lambda: hanging(here, script))


def in_measurement(script: str) -> float:
    """While the goals are measured before the first cycle."""
    with ground() as here:
        goal = Goal("g", f"exec {here.script('hang', script)}")
        _with_goal(here, goal)
        return _stopped(here, lambda: hanging(here, script))


def in_gate(script: str) -> float:
    """While the goals are measured on a cycle's result."""
    with ground(agent="echo yes > done/g") as here:
        goal = Goal("g", f"test -f done/g && exec {here.script('hang', script)}")
        _with_goal(here, goal)
        return _stopped(here, lambda: hanging(here, script))


def parked() -> float:
    """While a pause is in force: no process of ours runs, the session waits."""
    with ground(goals=[Goal("g", "test -f done/g")]) as here:
        here.state.mkdir(mode=0o700)
        (here.state / "PAUSE").write_text("by hand\n")
        return _stopped(here, lambda: "cycle.parked" in _read(here.state / "events.jsonl"))


def in_own_work() -> float:
    """The agent's last act is to write STOP: what follows is the supervisor's own work on the tree."""
    with ground(files=2000, goals=[Goal(f"g-{at}", f"test -f done/g-{at}") for at in range(30)]) as here:
        folder = here.stop_file.parent
        act = f'echo "$EPOCHREALTIME"\n[ -e {here.stop_file} ] || {{ mkdir -p {folder}; : > {here.stop_file}; }}'
        here.script("agent", f'{act}\n[ "$AO_PHASE" != implementation ] || echo yes > "done/$AO_TARGET"')
        here.run(here.evolve())
        return time.time() - here.stamp("1-discovery-1")


def hanging(here: Ground, script: str) -> bool:
    """Whether all that hangs has come to hang."""
    names = ("bench-hangs", "bench-hidden") if script is _STUBBORN else ("bench-hangs",)
    return all(leftovers(here.mark, name) for name in names)


def _stopped(here: Ground, ready: Callable[[], bool]) -> float:
    process = here.start(here.evolve())
    try:
        until(ready, process)
    except RuntimeError as error:
        raise RuntimeError(f"{error}\n{here.said()}") from error
    here.stop_file.parent.mkdir(parents=True, exist_ok=True)
    seconds = gone(here.folder.name, here.stop_file.touch)
    if process.wait() != 0:
        raise RuntimeError(f"exit {process.returncode}\n{here.said()}")
    return seconds


def _with_goal(here: Ground, goal: Goal) -> None:
    write_goals(here, [goal])
    here.git("commit", "--quiet", "--all", "--message", "Goals")


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""
