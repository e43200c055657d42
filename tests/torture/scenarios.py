"""The few whole stories in which every effect is broken once: each has the same end, whatever was killed on the way."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.torture.ground import Ground, new_ground
from tests.torture.person import DIRTY, Person, first_commit
from tests.torture.starting import Acts, write_script

_HEAD = "# Torture\n\n## Gates\n\n| ID | Check | Weight | Description | Fix |\n|----|-------|--------|-------------|-----|\n"
GUARD = "| guard | `grep -q intact guard.txt` | 5 | The guard is intact | |\n"
MADE = "| made | `grep -q done made.txt` | 8 | made.txt is done | |\n"
MENDED = "| mended | `grep -q mended src/app.txt` | 9 | src/app.txt is mended | |\n"
FIXED = "| fixed | `grep -q ^fixed src/deep/er/fixed.txt` | 9 | fixed.txt says so | `echo fixed > src/deep/er/fixed.txt` |\n"
VAIN = "| vain | `test -e never.txt` | 9 | Nobody makes this | `echo tried >> tried.txt` |\n"
COMMIT_ALL: Acts = (("git", "add", "-A"), ("git", "commit", "-q", "-m", "the agent's own"))
MAKE: Acts = (("write", "made.txt", "done\n"), ("write", "made in/deep/folder.txt", "more\n", "755"))


def goals(*rows: str) -> str:
    return _HEAD + "".join(rows)


@dataclass(frozen=True, slots=True)
class Story:
    """`spoils`: at the agent's sync something outside the repository breaks a goal for good. `pauses`: there `ao pause`
    is typed, and `ao resume` when the cycle is parked. `passing`: goals that a fresh clone of the end's HEAD must pass.
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
    write_script(ground, story.acts, discovery=story.discovery)
    return ground
