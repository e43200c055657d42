"""Queue and ledger while a cycle does its worst to them: no row gets lost, and nothing outside is touched."""

from __future__ import annotations

import json
import random
import select
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.torture.books import ledger, wrong_books
from tests.torture.ground import Ground
from tests.torture.person import Person, first_commit
from tests.torture.scenarios import GUARD, goals
from tests.torture.starting import Acts, Attended, evolve, write_script

QUEUE = ".agents/rpi/next-work.jsonl"
ROWS = tuple(
    {"source_epic": "e", "timestamp": "2026-11-30T00:00:00Z", "items": [item], "mine": {"nested": [1, 2.5, "ü"]}}
    for item in (
        {"title": "make it", "severity": "high", "check": "grep -q done made.txt", "note": "a person's"},
        {"title": "for later", "severity": "low", "target_repo": "another"},
    )
)
NEW_ROW = '{"source_epic":"n","timestamp":"2026-11-30T00:00:00Z","items":[{"title":"new","target_repo":"another"}]}\n'
ATTACKS = {
    "deleted": (("delete", QUEUE),),
    "emptied": (("write", QUEUE, ""),),
    "rewritten": (("write", QUEUE, "{}\n{}\n" + NEW_ROW),),
    "a folder": (("delete", QUEUE), ("write", f"{QUEUE}/x", "no queue\n")),
    "all of it deleted": (("delete", ".agents"),),
    "a link out": (("symlink", "../../../home/precious", QUEUE),),
}


def some_slow(names: Iterable[str], quick: str) -> list[ParameterSet]:
    """All of them, and only this one in the quick tier."""
    return [pytest.param(name, marks=() if name == quick else pytest.mark.slow) for name in names]


@pytest.fixture
def asked(ground: Ground) -> Ground:
    """A repository with two items of work, one of them for somebody else, and a file of the person's outside of it."""
    first_commit(ground, goals(GUARD))
    Person(ground, random.Random(1)).save(QUEUE.encode(), "".join(json.dumps(row) + "\n" for row in ROWS).encode())
    (ground.folder / "home" / "precious").write_text("precious\n")
    return ground


def rows_of(ground: Ground) -> list[dict[str, object]]:
    return [json.loads(line) for line in (ground.repo / QUEUE).read_text().splitlines()]


def without_lifecycle(row: dict[str, object]) -> dict[str, object]:
    """What a person wrote of a row with one item; how far it came is ours to write."""
    items = row["items"]
    assert isinstance(items, list)
    known = ("title", "severity", "check", "note", "target_repo")
    kept: dict[str, object] = {name: row[name] for name in ("source_epic", "timestamp", "mine") if name in row}
    return {**kept, "items": [{name: item[name] for name in known if name in item} for item in items]}


def is_whole(ground: Ground) -> None:
    assert [without_lifecycle(row) for row in rows_of(ground)][:2] == list(ROWS)
    assert (ground.folder / "home" / "precious").read_text() == "precious\n"
    assert not list(wrong_books(ground))


@pytest.mark.parametrize("attack", some_slow(ATTACKS, "a link out"))
def test_whatever_a_cycle_does_to_the_queue_its_rows_are_there_afterwards(asked: Ground, attack: str) -> None:
    write_script(asked, (("write", "made.txt", "done\n"), *ATTACKS[attack]))
    ended = evolve(asked, "--max-cycles=1", "--repo-filter=repo")
    assert ended.code == 0, ended.told()
    is_whole(asked)
    assert [row["target"] for row in ledger(asked)] == ["make it"]


@pytest.mark.parametrize("attack", some_slow(ATTACKS, "rewritten"))
def test_what_a_cycle_did_to_the_queue_before_it_was_cut_off_is_undone(asked: Ground, attack: str) -> None:
    write_script(asked, (*ATTACKS[attack], ("sync", "now")))
    first = evolve(asked, "--max-cycles=1", "--repo-filter=repo", on_sync=lambda attended, _: attended.kill())
    assert first.killed
    write_script(asked, (("write", "made.txt", "done\n"),))
    second = evolve(asked, "--max-cycles=1", "--repo-filter=repo")
    assert second.code == 0, second.told()
    is_whole(asked)
    assert [(row["target"], row["result"]) for row in ledger(asked)] == [("make it", "unchanged"), ("make it", "improved")]


LEDGER = ".agents/evolve/cycle-history.jsonl"
ON_LEDGER = {
    "deleted": (("delete", LEDGER),),
    "emptied": (("write", LEDGER, ""),),
    "a folder": (("delete", LEDGER), ("write", f"{LEDGER}/x", "no ledger\n")),
    "all of it deleted": (("delete", ".agents"),),
    "a link out": (("symlink", "../../../home/precious", LEDGER),),
}


@pytest.mark.parametrize("attack", some_slow(ON_LEDGER, "a folder"))
def test_rows_that_a_cycle_took_from_the_ledger_before_it_was_cut_off_are_back(asked: Ground, attack: str) -> None:
    _is_recovered(asked, ON_LEDGER[attack], wait=0.0)


@pytest.mark.slow
def test_rows_are_back_also_when_the_next_start_comes_long_after_the_crash(asked: Ground) -> None:
    """Taking the lease writes into the folder from which the files are gone; that looked like a person's change."""
    _is_recovered(asked, (*ON_LEDGER["all of it deleted"], ("delete", "plain.txt")), wait=5.5)
    assert (asked.repo / "plain.txt").exists()


def _is_recovered(ground: Ground, acts: Acts, wait: float) -> None:
    write_script(ground, ())
    assert evolve(ground, "--max-cycles=1", "--repo-filter=repo").code == 0
    assert len(ledger(ground)) == 1
    write_script(ground, (*acts, ("sync", "now")))
    assert evolve(ground, "--max-cycles=1", "--repo-filter=repo", on_sync=lambda attended, _: attended.kill()).killed
    select.select([], [], [], wait)  # the time that has to be over is the thing under test (evolve.md section 8)
    write_script(ground, (("write", "made.txt", "done\n"),))
    ended = evolve(ground, "--max-cycles=1", "--repo-filter=repo")
    assert ended.code == 0, ended.told()
    assert [row["reason"] for row in ledger(ground)] == ["no_op", "interrupted", "target_reached"]
    is_whole(ground)


def test_what_the_check_of_an_item_leaves_behind_is_no_work(asked: Ground) -> None:
    row = {"items": [{"title": "make it", "check": "echo litter > litter.txt; grep -q done made.txt"}]}
    (asked.repo / QUEUE).write_text(json.dumps(row) + "\n")
    (asked.repo / "made.txt").write_text("done\n")
    ended = evolve(asked, "--max-cycles=1", "--repo-filter=repo")
    assert ended.code == 0 and not (asked.repo / "litter.txt").exists(), ended.told()
    assert [(row["result"], row["reason"]) for row in ledger(asked)] == [("unchanged", "already_done")]
    assert rows_of(asked)[0]["consumed"] is True


def test_rows_that_someone_added_after_a_crash_stay(asked: Ground) -> None:
    write_script(asked, (("delete", QUEUE), ("sync", "now")))

    def crash(attended: Attended, _: str) -> None:
        attended.kill()

    assert evolve(asked, "--max-cycles=1", "--repo-filter=repo", on_sync=crash).killed
    path: Path = asked.repo / QUEUE
    Person(asked, random.Random(2)).save(QUEUE.encode(), NEW_ROW.encode(), later=True)
    write_script(asked, (("write", "made.txt", "done\n"),))
    evolve(asked, "--max-cycles=1", "--repo-filter=repo")
    assert NEW_ROW in path.read_text()
