"""Random acts of an agent and a person, a random crash, and one question: is every byte of the person's still there?"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.torture.books import ledger, wrong_books, wrong_end, wrong_repository
from tests.torture.faults import finish
from tests.torture.ground import Ground, new_ground
from tests.torture.looking import Look, files_of, holds_commit, index_of, look, reachable, universe
from tests.torture.person import DIRTY, MEANWHILE, Person, first_commit
from tests.torture.scenarios import GUARD, MENDED, goals
from tests.torture.starting import Attended, Ended, Hung, evolve, say, write_script
from tests.torture.telling import Trial
from tests.torture.wild import EVERYWHERE, OUTCOMES, Deed, deeds

STARTS = 4
Chance = tuple[str, str]
"""An act of the person, and `later` when its file is to be dated after the crash."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a seed decides. `ending`: how the first start ends, as AO_FAULT or `sync N` for a kill there."""

    seed: int
    dirty: tuple[str, ...]
    deeds: tuple[Deed, ...]
    outcome: str
    code: int
    meanwhile: dict[int, tuple[Chance, ...]]
    ending: str
    held: tuple[Chance, ...]
    after: tuple[Chance, ...]
    answer: str


def plan(seed: int, points: tuple[str, ...]) -> Plan:
    """`points`: fault points as `name:nth`, in a stable order."""
    rng = random.Random(seed)
    count = rng.randint(1, 5)
    end = rng.choices(("", "kill", "hold", "sync", "error"), (25, 30, 15, 25, 5))[0]
    ending = f"sync {rng.randint(0, count)}" if end == "sync" else f"{rng.choice(points)}:{end}" if end else ""
    return Plan(
        seed=seed,
        dirty=tuple(sorted(rng.sample(sorted(DIRTY), rng.randint(0, 9)))),
        deeds=tuple(deeds(rng, count)),
        outcome=rng.choice(sorted(OUTCOMES)),
        code=rng.choices((0, 1, 3), (8, 1, 1))[0],
        meanwhile={at: _chances(rng, rng.randint(1, 2)) for at in range(count + 1) if rng.random() < 0.3},
        ending=ending,
        held=_chances(rng, rng.randint(1, 2)),
        after=_chances(rng, rng.randint(0, 3)),
        answer=rng.choice(("--keep", "--take-back")),
    )


def _chances(rng: random.Random, number: int) -> tuple[Chance, ...]:
    return tuple((rng.choice(sorted(MEANWHILE)), rng.choice(("", "later"))) for _ in range(number))


@dataclass(slots=True)
class Story:
    """One trial while it runs. `overwritten`: saves, and `rewritten`: commits of the person that the agent itself destroyed."""

    ground: Ground
    plan: Plan
    person: Person
    first: bool = True
    over: bool = False
    overwritten: set[str] = field(default_factory=set)
    rewritten: set[str] = field(default_factory=set)

    def on_sync(self, attended: Attended, name: str) -> None:
        if name == "end":
            self.agent_ended()
            return
        if not self.first:
            return
        at = int(name)
        for act, chance in self.plan.meanwhile.get(at, ()):
            self.person.act(act, chance)
        if self.plan.ending == f"sync {at}":
            attended.kill()

    def on_hold(self, _: Attended) -> None:
        for act, chance in self.plan.held:
            self.person.act(act, chance)

    def agent_ended(self) -> None:
        """The agent acts no more: what of the person's saves is gone now was destroyed by the agent, not by us."""
        files = {entry.oid for path, entry in files_of(self.ground.repo, all_of_it=True).items() if b"/.git/" not in path}
        committed = set(self.ground.git("ls-tree", "-r", "--format=%(objectname)", "HEAD", check=False).decode().split())
        staged = {facts.split()[2].decode() for facts in index_of(self.ground).values()} - committed
        # What only a commit of the agent's holds by now was overwritten as well: its tips stay in the reflog, no more
        # (evolve.md section 6).
        found = files | staged | reachable(self.ground, [sha for sha in self.person.commits if holds_commit(self.ground, sha)])
        self.rewritten |= {sha for sha in self.person.commits if not holds_commit(self.ground, sha)}
        self.overwritten |= {one.oid for one in self.person.wrote if one.when == "during" and one.oid not in found}


def run(job: tuple[int, tuple[str, ...], bool]) -> Trial:
    """One seed."""
    seed, points, keep = job
    began = time.monotonic()
    wanted = plan(seed, points)
    ground = new_ground()
    again = f"scripts/torture acts --seed {seed} --count 1"
    counts: Counter[str] = Counter()
    try:
        wrong = tuple(_trial(ground, wanted, counts))
    except Hung as error:
        wrong = (f"I4 it hangs: {error}",)
    except Exception as error:  # a trial that breaks the torture itself must be seen, not end the others
        wrong = (f"the torture itself failed: {error!r}",)
    return finish(ground, Trial(f"seed {seed}: {_told(wanted)}", again, wrong, dict(counts)), began, keep)


def _told(wanted: Plan) -> str:
    did = ", ".join(deed.name for deed in wanted.deeds)
    return f"[{' '.join(wanted.dirty)}] agent: {did}; {wanted.outcome}, exit {wanted.code}; {wanted.ending or 'no crash'}"


def _trial(ground: Ground, wanted: Plan, counts: Counter[str]) -> Iterator[str]:
    first_commit(ground, goals(MENDED, GUARD))
    person = Person(ground, random.Random(wanted.seed + 1))
    for name in wanted.dirty:
        person.act(name, "")
    before = look(ground)
    story = Story(ground, wanted, person)
    person.when = "during"
    write_script(ground, _script(wanted), code=wanted.code)
    fault = "" if wanted.ending.startswith("sync") else wanted.ending
    ended = evolve(ground, "--max-cycles=1", fault=fault, on_sync=story.on_sync, on_hold=story.on_hold)
    counts["starts"] += 1
    injected = wanted.ending.endswith(":error")
    yield from (f"start 1: {one}" for one in wrong_end(ended) if not injected or "I3" in one)
    if ended.killed:
        counts["killed"] += 1
        if not any(line == "sync end" for line in ended.heard):
            story.agent_ended()
    person.when = "after"
    if ended.code != 0:
        for act, chance in wanted.after:
            person.act(act, chance)
        yield from _starts_again(story, ended, counts)
    yield from _wrong(story, before, counts)


def _script(wanted: Plan) -> list[tuple[str, ...]]:
    acts: list[tuple[str, ...]] = []
    for at, deed in enumerate(wanted.deeds):
        acts += [("sync", str(at)), *deed.acts]
    return [*acts, ("sync", str(len(wanted.deeds))), *OUTCOMES[wanted.outcome], ("sync", "end")]


def _starts_again(story: Story, ended: Ended, counts: Counter[str]) -> Iterator[str]:
    """Plain starts until one ends as planned; a question about a crash is answered, a refusal of git's state is mended."""
    story.first = False
    ground = story.ground
    write_script(ground, (("write", "src/app.txt", "mended\n"), ("sync", "end")))
    for number in range(2, STARTS + 2):
        if b"ao recover" in ended.err + ended.out:
            counts["asked"] += 1
            yield from _asks_again(ground)
            done = say(ground, "recover", story.plan.answer)
            if done.returncode:
                yield f"I4 `ao recover {story.plan.answer}` ended with {done.returncode}: {done.stderr.decode(errors='replace')}"
        elif ended.code == 7 and ended.stop_reason == "contested":
            counts["contested"] += 1
        elif ended.report is None and (counts["asked"] or counts["contested"] or _was_contested(ground)):
            counts["mended by hand after a question"] += _mended(ground)
        ended = evolve(ground, "--max-cycles=1", on_sync=story.on_sync)
        counts["starts"] += 1
        yield from (f"start {number}: {one}" for one in wrong_end(ended))
        if ended.code in (0, 5):
            return
    yield f"I4 {STARTS} more starts did not bring it to an end: {ended.told()}"


def _asks_again(ground: Ground) -> Iterator[str]:
    """Until it is answered every start says so and exits 7 without a new row (evolve.md section 8)."""
    path = ground.repo / ".agents" / "evolve" / "cycle-history.jsonl"
    before = path.read_bytes() if path.is_file() else b""
    ended = evolve(ground, "--max-cycles=1")
    after = path.read_bytes() if path.is_file() else b""
    if ended.code != 7 or b"ao recover" not in ended.err + ended.out or before != after:
        yield f"I4 a start with an open question ended with {ended.told()}, new rows: {after.removeprefix(before)!r}"


def _was_contested(ground: Ground) -> bool:
    """Whether a row says so; the start that would have said it aloud may have been killed between the two."""
    try:
        return any(row.get("reason") == "contested" for row in ledger(ground))
    except (ValueError, OSError):  # what an agent put in its place; the next start clears it away
        return False


def _mended(ground: Ground) -> int:
    """What a person does who kept what a stranger's agent had left behind: what the refusal's second line says."""
    for what in ("merge", "rebase", "cherry-pick", "am"):
        ground.git(what, "--abort", check=False)
        ground.git(what, "--quit", check=False)
    if not ground.git("symbolic-ref", "-q", "HEAD", check=False):
        ground.git("switch", "-c", "mended", check=False)
    if b"## Gates" not in (ground.repo / "GOALS.md").read_bytes() if (ground.repo / "GOALS.md").is_file() else True:
        (ground.repo / "GOALS.md").write_text(goals(MENDED, GUARD))
    return 1


def _wrong(story: Story, before: Look, counts: Counter[str]) -> Iterator[str]:
    ground, person = story.ground, story.person
    yield from wrong_books(ground)
    lost = [sha for sha in person.commits if not holds_commit(ground, sha)]
    counts["commits rewritten by the agent itself"] += len(story.rewritten)
    if set(lost) - story.rewritten:
        yield f"commits of the person's are in no ref: {lost}"
    yield from wrong_repository(ground, [])
    found = universe(ground)
    for one in person.wrote:
        counts["bytes of the person's"] += 1
        if one.oid in found:
            continue
        if one.oid in story.overwritten:
            counts["overwritten by the agent itself"] += 1
        elif one.replaced:
            counts["replaced by the person"] += 1
        else:
            yield f"LOST {one.path!r} ({one.when}): {one.oid} is nowhere"
    yield from _changed(story, before, counts)


def _changed(story: Story, before: Look, counts: Counter[str]) -> Iterator[str]:
    """Paths of the person's that neither agent nor person changed afterwards are as they were, index included."""
    try:
        rows = ledger(story.ground)
    except (ValueError, OSError):
        return  # said already
    for row in rows:
        counts[f"{row['result']} {str(row.get('reason')).partition(':')[0]}"] += 1
    kept = any(row["result"] in ("improved", "harvested") for row in rows[:1])
    touched = frozenset().union(*(deed.touches for deed in story.plan.deeds)) if kept else frozenset()
    answered = any(row.get("reason") == "contested" for row in rows) or counts["asked"] or counts["contested"]
    # Commits without their line in the reflog count as someone else's and stay (design-review 1.1-2: the safe side).
    answered = answered or any(deed.name == "garbage" for deed in story.plan.deeds)
    if answered or EVERYWHERE in touched or any(line.startswith(("during", "after")) for line in story.person.did):
        return
    counts["compared path by path"] += 1
    skip = {name.encode("utf-8", "surrogateescape") for name in touched} | {b"src/app.txt"}
    after = look(story.ground)
    for what, one, other in (
        ("file", before.files, after.files),
        ("status", before.status, after.status),
        ("index", before.index, after.index),
    ):
        for path in one:
            if path.partition(b"\0")[0] not in skip and one[path] != other.get(path):
                if what == "status" and path not in other and _no_difference(story.ground, path):
                    continue
                yield f"I1 {what} of {path!r} was {one[path]!r}, is {other.get(path)!r}"


def _no_difference(ground: Ground, path: bytes) -> bool:
    """Git calls a file modified by its size alone when `core.autocrlf` was set after its entry was made, until somebody's
    `git add` looks into it and finds nothing: no state of the person's.
    """
    staged = ground.git("--literal-pathspecs", "ls-files", "--stage", "-z", "--", path).split()
    now = ground.git("hash-object", "--", path, check=False).strip()
    return len(staged) > 1 and staged[1] == now


def points() -> tuple[str, ...]:
    """Fault points of a clean start with the same goals, each as often as it is passed."""
    ground = new_ground()
    try:
        first_commit(ground, goals(MENDED, GUARD))
        write_script(ground, (("write", "src/app.txt", "mended\n"), ("git", "add", "-A"), ("git", "commit", "-qm", "x")))
        log = ground.control / "points"
        evolve(ground, "--max-cycles=1", log=log)
        passed: Counter[str] = Counter()
        found = []
        for point in log.read_text().split():
            passed[point] += 1
            found.append(f"{point}:{passed[point]}")
        return tuple(found)
    finally:
        ground.drop()
