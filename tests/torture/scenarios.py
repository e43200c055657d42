"""The few whole stories in which every effect is broken once: each has the same end, whatever was killed on the way."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field

from tests.torture.books import LEDGER, QUEUE, Row
from tests.torture.ground import Ground, new_ground
from tests.torture.person import DIRTY, Person, first_commit
from tests.torture.starting import Acts, write_script

_HEAD = "# Torture\n\n## Gates\n\n| ID | Check | Weight | Description | Fix |\n|----|-------|--------|-------------|-----|\n"
GUARD = "| guard | `grep -q intact guard.txt` | 5 | The guard is intact | |\n"
MADE = "| made | `grep -q done made.txt` | 8 | made.txt is done | |\n"
MENDED = "| mended | `grep -q mended src/app.txt` | 9 | src/app.txt is mended | |\n"
FIXED = "| fixed | `grep -q ^fixed src/deep/er/fixed.txt` | 9 | fixed.txt says so | `echo fixed > src/deep/er/fixed.txt` |\n"
FALLEN = "| fallen | `grep -q done made.txt` | 8 | made.txt is done again | `echo done > made.txt` |\n"
VAIN = "| vain | `test -e never.txt` | 9 | Nobody makes this | `echo tried >> tried.txt` |\n"
COMMIT_ALL: Acts = (("git", "add", "-A"), ("git", "commit", "-q", "-m", "the agent's own"))
MAKE: Acts = (("write", "made.txt", "done\n"), ("write", "made in/deep/folder.txt", "more\n", "755"))


def goals(*rows: str) -> str:
    return _HEAD + "".join(rows)


def _asked(**item: str) -> Row:
    """A row of the work queue with one item, and keys that nobody knows."""
    return {"source_epic": "t", "timestamp": "2026-11-30T00:00:00Z", "items": [item], "mine": {"kept": [1, 2.5, "ü"]}}


def _mended(cycle: int, target: str) -> Row:
    row: Row = {"cycle": cycle, "target": target, "result": "improved", "reason": "target_reached"}
    return {**row, "timestamp": "2026-11-29T00:00:00Z", "session_id": "20261129-0000-aaaa"}


@dataclass(frozen=True, slots=True)
class Story:
    """`spoils`: at the agent's sync something outside the repository breaks a goal for good. `pauses`: there `ao pause`
    is typed, and `ao resume` when the cycle is parked. `passing`: goals that a fresh clone of the end's HEAD must pass.
    `queue`: rows of the work queue; `earlier`: rows of the ledger from sessions before.
    """

    name: str
    goals: str
    acts: Acts = ()
    discovery: Acts | None = None
    cycles: int = 1
    agent: bool = True
    spoils: bool = False
    pauses: bool = False
    passing: tuple[str, ...] = ()
    dirty: tuple[str, ...] = tuple(sorted(set(DIRTY) - {"target-dirty", "mixed-endings", "mixed-endings-staged"}))
    queue: tuple[Row, ...] = ()
    earlier: tuple[Row, ...] = ()
    results: tuple[str, ...] = field(default=())


STORIES = {
    story.name: story
    for story in (
        Story(
            "kept",
            goals(FIXED, MADE, GUARD),
            (*MAKE, ("git", "add", "made.txt"), ("git", "commit", "-q", "-m", "made", "--", "made.txt")),
            cycles=2,
            passing=("grep -q ^fixed src/deep/er/fixed.txt", "grep -q done made.txt"),
            results=("improved", "improved"),
        ),
        Story(
            "regressed",
            goals(MADE, GUARD),
            (
                *MAKE,
                ("write", "guard.txt", "broken\n"),
                ("append", "src/lib.txt", "and the agent's\n"),
                ("delete", "private/diary.txt"),
                ("write", ".env", "TOKEN=stolen\n"),
                ("delete", "src/deep"),
                ("write", "src/deep", "a file now\n"),
                ("git", "add", "guard.txt", "made.txt", "src/lib.txt"),
                ("git", "commit", "-q", "-m", "worse"),
                ("write", "left over.txt", "uncommitted\n"),
            ),
            results=("regressed",),
        ),
        Story("swept", goals(MADE, GUARD), (*MAKE, *COMMIT_ALL), passing=("grep -q done made.txt",), results=("improved",)),
        Story(
            "probed",
            goals(MADE, GUARD, "| moody | `test ! -e ~/spoiled` | 2 | Nothing outside is spoiled | |\n"),
            (*MAKE, ("sync", "spoil")),
            spoils=True,
            passing=("grep -q done made.txt",),
            results=("improved",),
        ),
        Story(
            "parked",
            goals(MADE, GUARD),
            (*MAKE, ("git", "add", "made.txt"), ("git", "commit", "-q", "-m", "made", "--", "made.txt")),
            discovery=(("write", "plan.txt", "a plan\n"), ("append", "src/lib.txt", "half done\n"), ("sync", "pause")),
            pauses=True,
            passing=("grep -q done made.txt",),
            results=("improved",),
        ),
        Story(
            "harvested",
            goals(GUARD),
            cycles=2,
            agent=False,
            passing=("grep -q done made.txt",),
            queue=(
                _asked(title="make it", severity="high", fix="echo done > made.txt", check="grep -q done made.txt"),
                _asked(title="spoil it", severity="low", fix="echo broken > guard.txt", check="grep -q broken guard.txt"),
                _asked(title="for someone else", target_repo="another"),
            ),
            results=("improved", "regressed"),
        ),
        Story(
            "quarantined",
            goals(FIXED, FALLEN, GUARD),
            cycles=2,
            agent=False,
            passing=("grep -q ^fixed src/deep/er/fixed.txt",),
            earlier=tuple(_mended(cycle, "fallen") for cycle in (1, 2, 3)),
            results=("improved", "quarantined", "unchanged"),
        ),
        Story("declined", goals(VAIN, GUARD), cycles=3, agent=False, results=("unchanged", "unchanged")),
    )
}


def template(story: Story) -> Ground:
    """The story's repository with the person's dirty work in it."""
    ground = new_ground()
    first_commit(ground, story.goals)
    person = Person(ground, random.Random(1))
    for name in story.dirty:
        person.act(name, "")
    for path, rows in ((QUEUE, story.queue), (LEDGER, story.earlier)):
        if rows:
            person.save(path.encode(), "".join(json.dumps(row) + "\n" for row in rows).encode())
    write_script(ground, story.acts, discovery=story.discovery)
    return ground
