"""`kill -9`, EIO and a full disk at every fault point of every story, and what must be true afterwards (loop-peers C2-1)."""

from __future__ import annotations

import atexit
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.torture.books import QUEUE, ledger, wrong_books, wrong_end, wrong_queue, wrong_repository
from tests.torture.ground import Ground, copy_of
from tests.torture.looking import Look, commits_of, look
from tests.torture.scenarios import STORIES, Story, template
from tests.torture.starting import Attended, Ended, Hung, evolve
from tests.torture.telling import Trial

STARTS = 3
ACTIONS = ("kill", "error", "enospc")
_PARKED = "journal.parked.after:1:hold"


@dataclass(frozen=True, slots=True)
class Clean:
    """A story without a fault: its repository before, its end, and how often each fault point is passed on the way."""

    template: Ground
    commits: tuple[str, ...]
    before: Look
    after: Look
    points: dict[str, int]


@dataclass(frozen=True, slots=True)
class Case:
    """`faults`: the value of AO_FAULT for the first start, the second, …; later starts have none."""

    story: str
    faults: tuple[str, ...] = ()
    keep_failed: bool = False

    def __str__(self) -> str:
        return "/".join((self.story, *self.faults))


def run_story(ground: Ground, story: Story, fault: str = "", log: Path | None = None) -> Ended:
    """One start of a story, with everything that happens around it."""

    def on_sync(attended: Attended, name: str) -> None:
        if name == "spoil":
            (ground.folder / "home" / "spoiled").touch()
        # Once a start: a fault may make it work twice, and only the first pause has its `ao resume`.
        if name == "pause" and attended.heard.count("sync pause") == 1:
            (ground.state / "PAUSE").write_text("the person's\n")

    def on_hold(_: Attended) -> None:
        (ground.state / "PAUSE").unlink(missing_ok=True)

    (ground.state / "PAUSE").unlink(missing_ok=True)  # `ao resume`: a pause is the person's to end
    wanted = ",".join(filter(None, (fault, _PARKED if story.pauses else "")))
    return evolve(
        ground,
        f"--max-cycles={story.cycles}",
        "--repo-filter=repo",
        fault=wanted,
        log=log,
        agent=story.agent,
        on_sync=on_sync,
        on_hold=on_hold,
    )


@cache
def clean(name: str) -> Clean:
    """Run a story once without a fault. Raises AssertionError when even that goes wrong."""
    story = STORIES[name]
    pristine = template(story)
    atexit.register(pristine.drop)
    before = look(pristine)
    commits = tuple(commits_of(pristine))
    ground = copy_of(pristine)
    log = ground.control / "points"
    try:
        ended = run_story(ground, story, log=log)
        wrong = [*_wrong(ground, story, ended, commits), *_unlike_start(before, look(ground), story)]
        results = tuple(row["result"] for row in ledger(ground)[len(story.earlier) :])
        if results != story.results:
            wrong.append(f"results {results} instead of {story.results}: {ended.told()}")
        assert not wrong, f"{name} without a fault: {wrong}"
        return Clean(pristine, commits, before, look(ground), dict(Counter(log.read_text().split())))
    finally:
        ground.drop()


def _unlike_start(before: Look, after: Look, story: Story) -> Iterator[str]:
    """I1 on the clean run itself: all that the person had is as it was, and nothing new but what the work is."""
    made = {b"made.txt", b"made in/deep/folder.txt", b"src/deep/er/fixed.txt", b"plan.txt"}
    both = {QUEUE.encode(), *({b"src/lib.txt"} if story.name == "parked" else ())}
    for what, one, other in (
        ("file", before.files, after.files),
        ("status", before.status, after.status),
        ("index", before.index, after.index),
    ):
        for path in one.keys() | other.keys():
            if path.partition(b"\0")[0] not in made | both and one.get(path) != other.get(path):
                yield f"I1 {what} of {path!r} was {one.get(path)!r}, is {other.get(path)!r}"


def run(case: Case) -> Trial:
    """One case: the starts with their faults, then plain ones until it ends as planned, then the oracle."""
    began = time.monotonic()
    story, known = STORIES[case.story], clean(case.story)
    ground = copy_of(known.template)
    wrong: list[str] = []
    counts = {"starts": 0}
    try:
        ended = None
        for number in range(len(case.faults) + STARTS):
            fault = case.faults[number] if number < len(case.faults) else ""
            ended = run_story(ground, story, fault)
            counts["starts"] += 1
            wrong += [f"start {number + 1}: {one}" for one in wrong_end(ended) if fault == "" or "I3" in one]
            if fault and ended.killed:
                counts["killed"] = counts.get("killed", 0) + 1
            if number >= len(case.faults) and ended.code == 0:
                break
        assert ended is not None
        if ended.code != 0:
            wrong.append(f"I4 {STARTS} plain starts did not bring it to an end: {ended.told()}")
        else:
            wrong += _wrong(ground, story, ended, known.commits)
            wrong += _unlike(known.after, look(ground))
    except Hung as error:
        wrong.append(f"I4 it hangs: {error}")
    return finish(
        ground, Trial(str(case), f"scripts/torture faults --only '{case}'", tuple(wrong), counts), began, case.keep_failed
    )


def finish(ground: Ground, trial: Trial, began: float, keep: bool) -> Trial:
    """Drop the ground, unless it failed and is wanted."""
    kept = str(ground.folder) if trial.wrong and keep else ""
    if not kept:
        ground.drop()
    return Trial(trial.name, trial.again, trial.wrong, trial.counts, time.monotonic() - began, kept)


def _unlike(wanted: Look, found: Look) -> Iterator[str]:
    for what, one, other in (
        ("file", wanted.files, found.files),
        ("status", wanted.status, found.status),
        ("index", wanted.index, found.index),
    ):
        for path in one.keys() | other.keys():
            if one.get(path) != other.get(path) and path != QUEUE.encode():
                yield f"I1 {what} of {path!r} should be {one.get(path)!r}, is {other.get(path)!r}"


def _wrong(ground: Ground, story: Story, ended: Ended, commits: tuple[str, ...]) -> Iterator[str]:
    yield from wrong_end(ended)
    yield from wrong_books(ground)
    yield from wrong_repository(ground, list(commits))
    yield from wrong_clone(ground, story.passing)
    yield from wrong_queue(ground, story.queue)


def wrong_clone(ground: Ground, passing: tuple[str, ...]) -> Iterator[str]:
    """What was kept is in HEAD: the checks of improved targets pass on a fresh clone."""
    if not passing:
        return
    ground.git("clone", "--quiet", "--shared", str(ground.repo), str(ground.folder / "clone"))
    for check in passing:
        done = ground.git("-C", str(ground.folder / "clone"), "-c", f"alias.check=!{check} && echo yes", "check", check=False)
        if b"yes" not in done:
            yield f"`{check}` fails on a fresh clone of HEAD"


def all_cases(stories: list[str], *, ends_only: bool, actions: tuple[str, ...], keep_failed: bool = False) -> list[Case]:
    """Every point of the clean runs; `ends_only` takes the first and the last time each is passed."""
    cases = []
    for name in stories:
        for point, times in sorted(clean(name).points.items()):
            numbers = sorted({1, times}) if ends_only else range(1, times + 1)
            cases += [Case(name, (f"{point}:{nth}:{action}",), keep_failed) for nth in numbers for action in actions]
    return cases


def chosen_cases(part: int, parts: int) -> list[Case]:
    """For every run of the tests: each point once, killed in one of the stories that pass it, at its first or last time
    there; every fourth one fails as well. `part` of `parts` of them.
    """
    where: dict[str, list[str]] = {}
    for name in STORIES:
        for point in clean(name).points:
            where.setdefault(point, []).append(name)
    cases = []
    for number, (point, names) in enumerate(sorted(where.items())):
        if number % parts != part:
            continue
        name = names[number // parts % len(names)]
        nth = (1, clean(name).points[point])[number % 2]
        cases.append(Case(name, (f"{point}:{nth}:kill",)))
        if number % 4 == 0:
            cases.append(Case(names[-1], (f"{point}:1:{ACTIONS[1 + number // 4 % 2]}",)))
    return cases


def twice_cases(name: str, first: str, keep_failed: bool = False) -> list[Case]:
    """The recovery from one fault, itself killed at every point that it passes."""
    story, known = STORIES[name], clean(name)
    ground = copy_of(known.template)
    try:
        run_story(ground, story, first)
        log = ground.control / "points"
        run_story(ground, story, log=log)
        passed = Counter(log.read_text().split())
    finally:
        ground.drop()
    return [
        Case(name, (first, f"{point}:{nth}:kill"), keep_failed)
        for point, times in sorted(passed.items())
        for nth in sorted({1, times})
    ]


def parse(text: str, keep_failed: bool = True) -> Case:
    """`story/fault[/fault…]` as printed; points hold no slash."""
    story, *faults = re.split(r"/", text)
    return Case(story, tuple(faults), keep_failed)
