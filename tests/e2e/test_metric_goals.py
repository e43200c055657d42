"""Goals that are numbers: a better one is kept though the goal is not reached yet, a lucky one is not."""

from __future__ import annotations

import json
import random

from tests.torture.books import ledger
from tests.torture.ground import Ground
from tests.torture.person import Person, first_commit
from tests.torture.starting import evolve, write_script

HEAD = "# Goals\n\n## Gates\n\n| ID | Check | Weight | Metric | Inputs |\n|--|--|--|--|--|\n"
COUNT = '| count | `cat count.txt; test "$(cat count.txt)" -le 5` | 9 | lower | |\n'
STEADY = "| steady | `d=..; echo . >> $d/steady-ran` | 1 | | `steady.txt` |\n"


def _start(ground: Ground, *rows: str) -> Person:
    first_commit(ground, HEAD + "".join(rows), {b"count.txt": b"10\n", b"steady.txt": b"x\n"})
    return Person(ground, random.Random(1))


def _values(ground: Ground, name: str) -> dict[str, float | None]:
    found = json.loads((ground.repo / ".agents/evolve" / name).read_text())
    return {goal["goal_id"]: goal.get("value") for goal in found["goals"]}


def test_a_better_number_is_an_improvement_and_the_goal_goes_on_failing(ground: Ground) -> None:
    _start(ground, COUNT, STEADY)
    write_script(ground, (("write", "count.txt", "7\n"),))
    ended = evolve(ground, "--max-cycles=1")
    (row,) = ledger(ground)
    assert (row["target"], row["result"], row["reason"]) == ("count", "improved", "target_reached:moved"), ended.told()
    assert (ground.repo / "count.txt").read_text() == "7\n"
    assert _values(ground, "fitness-latest.json")["count"] == 10
    assert _values(ground, "fitness-latest-post.json")["count"] == 7
    assert (ground.repo.parent / "steady-ran").read_text() == ".\n", "its inputs are what they were: it is not run again"


def test_a_worse_number_is_taken_back(ground: Ground) -> None:
    _start(ground, COUNT)
    write_script(ground, (("write", "count.txt", "12\n"),))
    evolve(ground, "--max-cycles=1")
    (row,) = ledger(ground)
    assert (row["result"], row["reason"]) == ("unchanged", "target_unmoved")
    assert (ground.repo / "count.txt").read_text() == "10\n"


def test_a_number_that_moves_by_itself_keeps_no_junk(ground: Ground) -> None:
    counted = "n=$(($(cat ../n || echo 0) + 1)); echo $n > ../n; echo $((10 - 3 * (n % 2 == 0))); false"
    _start(ground, f"| noisy | `{counted.replace('|', chr(92) + '|')}` | 9 | lower | |\n")
    write_script(ground, (("write", "junk.txt", "junk\n"),))
    evolve(ground, "--max-cycles=1")
    (row,) = ledger(ground)
    assert (row["result"], row["reason"]) == ("unchanged", "target_unmoved")
    assert not (ground.repo / "junk.txt").exists()
    assert (ground.repo.parent / "n").read_text() == "3\n", "before, after, and once more"
