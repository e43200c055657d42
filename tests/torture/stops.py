"""Told to stop, wherever it is: how long until the last process of its tree is gone, and is the end told truly?"""

from __future__ import annotations

import os
import random
import signal
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.torture.books import ledger, wrong_books, wrong_end, wrong_repository
from tests.torture.faults import finish
from tests.torture.ground import Ground, new_ground
from tests.torture.looking import commits_of, look
from tests.torture.person import Person, first_commit
from tests.torture.scenarios import GUARD, MADE, VAIN, goals
from tests.torture.starting import Attended, Hung, begin, evolve, write_script
from tests.torture.telling import Trial

KINDS = {
    "STOP": ("kill-switch", 0),
    "KILL": ("kill-switch", 0),
    "home-KILL": ("kill-switch", 0),
    "SIGINT": ("signal", 130),
    "SIGTERM": ("signal", 143),
    "SIGHUP": ("signal", 129),
    "SIGINT-twice": ("signal", 130),
}
WHERES = ("phase", "measurement", "gate", "take-back", "parking", "idle")
_STUBBORN = (("hide",), ("write", "made.txt", "done\n"), ("sync", "here"), ("hang",))
_HOLDS = {
    "take-back": "journal.verdict.after:1:hold",
    "parking": "journal.parked.after:1:hold",
    "idle": "journal.cleared.after:1:hold",
}


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    where: str
    keep_failed: bool = False

    def __str__(self) -> str:
        return f"{self.kind}@{self.where}"


def all_cases(keep_failed: bool = False) -> list[Case]:
    return [Case(kind, where, keep_failed) for where in WHERES for kind in KINDS]


def run(case: Case) -> Trial:
    """One stop of one kind at one place."""
    began = time.monotonic()
    ground = new_ground()
    seconds: list[float] = []
    try:
        wrong = tuple(_trial(ground, case, seconds))
    except Hung as error:
        wrong = (f"it hangs: {error}",)
    milliseconds = {f"ms {case}": round(seconds[0] * 1000)} if seconds else {}
    trial = Trial(str(case), f"scripts/torture stops --only {case}", wrong, milliseconds)
    return finish(ground, trial, began, case.keep_failed)


def _trial(ground: Ground, case: Case, seconds: list[float]) -> Iterator[str]:
    blocking = "| waits | `{}` | 3 | It waits | |\n".format(
        'test ! -e ~/block || python3 -c "import os,signal; signal.signal(15,signal.SIG_IGN); '
        "os.write(os.open('{}',1),b'sync here' + bytes([10])); signal.pause()\"".format(ground.control / "said")
    )
    first_commit(ground, goals(VAIN if case.where == "idle" else MADE, GUARD, blocking))
    person = Person(ground, random.Random(1))
    for name in ("modified", "staged-and-more", "untracked", "key", "tight-mode"):
        person.act(name, "")
    before, commits = look(ground), commits_of(ground)
    _prepare(ground, case)
    told: list[float] = []

    def on_sync(attended: Attended, name: str) -> None:
        if name == "pause":
            (ground.state / "PAUSE").write_text("the person's\n")
        elif name == "block":
            (ground.folder / "home" / "block").touch()
        else:
            told.append(time.monotonic())
            _tell(ground, case, attended)

    def on_hold(attended: Attended) -> None:
        told.append(time.monotonic())
        _tell(ground, case, attended)

    attended = begin(
        ground,
        "--max-cycles=3",
        env={"AO_FAULT": _HOLDS[case.where]} if case.where in _HOLDS else {},
        agent=case.where != "idle",
        on_sync=on_sync,
        on_hold=on_hold,
    )
    ended = attended.attend()
    if not told:
        yield f"the place was never reached: {ended.told()} {ended.heard}"
        return
    seconds.append(time.monotonic() - told[0])
    yield from wrong_end(ended)
    reason, code = KINDS[case.kind]
    # Within 200 ms of a stop file an idle session may find by itself that nothing is left to do (evolve.md section 1).
    early = case.where == "idle" and ended.stop_reason == "stagnation" and code == 0
    if (ended.stop_reason, ended.code) != (reason, code) and not early:
        yield f"I6 ended with {ended.stop_reason} {ended.code} instead of {reason} {code}: {ended.told()}"
    _clear(ground)
    # The second signal kills at once: what it left is the next start's to put in order (loop-peers C2-3).
    again = evolve(ground, "--max-cycles=1", agent=False)
    yield from (f"next start: {one}" for one in wrong_end(again))
    if again.code != 0:
        yield f"I4 the next start ended with {again.told()}"
    reasons = [str(row.get("reason")) for row in ledger(ground)]
    if case.where in ("phase", "gate", "parking") and reasons[:1] != ["interrupted"]:
        yield f"I6 the first row's reason is not `interrupted`: {reasons}"
    yield from wrong_books(ground)
    yield from wrong_repository(ground, commits)
    after = look(ground)
    for path in before.files.keys() | after.files.keys():
        if before.files.get(path) != after.files.get(path):
            yield f"I1 {path!r} was {before.files.get(path)}, is {after.files.get(path)}"
    if before.index != after.index:
        yield f"I1 the index is not as before: {before.index.items() ^ after.index.items()}"


def _prepare(ground: Ground, case: Case) -> None:
    match case.where:
        case "phase":
            write_script(ground, _STUBBORN)
        case "gate":
            write_script(ground, (("write", "made.txt", "done\n"), ("sync", "block")))
        case "take-back":
            write_script(ground, (("write", "made.txt", "done\n"), ("write", "guard.txt", "broken\n")))
        case "parking":
            write_script(ground, (), discovery=(("hide",), ("write", "made.txt", "half\n"), ("sync", "pause")))
        case _:
            write_script(ground, ())
    if case.where == "measurement":
        (ground.folder / "home" / "block").touch()


def _tell(ground: Ground, case: Case, attended: Attended) -> None:
    match case.kind:
        case "STOP":
            _touch(ground.repo / ".agents" / "evolve" / "STOP")
        case "KILL":
            _touch(ground.repo / ".agents" / "rpi" / "KILL")
        case "home-KILL":
            _touch(ground.folder / "home" / ".config" / "evolve" / "KILL")
        case "SIGINT-twice":
            attended.signal(signal.SIGINT)
            attended.signal(signal.SIGTERM)
        case name:
            attended.signal(signal.Signals[name])


def _touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("enough\n")


def _clear(ground: Ground) -> None:
    for path in (
        ground.repo / ".agents" / "evolve" / "STOP",
        ground.repo / ".agents" / "rpi" / "KILL",
        ground.folder / "home" / ".config" / "evolve" / "KILL",
        ground.folder / "home" / "block",
        ground.state / "PAUSE",
    ):
        if os.path.lexists(path):
            path.unlink()


def spread(trials: list[Trial]) -> str:
    """Seconds from the word to the last process, over all trials."""
    found = sorted(ms / 1000 for trial in trials for ms in trial.counts.values())
    if not found:
        return "nothing measured"
    return f"{found[0]:.2f} / {statistics.median(found):.2f} / {found[-1]:.2f} s (min / median / worst of {len(found)})"
