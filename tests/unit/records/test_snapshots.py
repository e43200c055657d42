"""Folders of snapshots: which is the newest, and that none takes another's place."""

from __future__ import annotations

import hashlib
from pathlib import Path

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.records import goal_history, snapshots

WALL = 1_780_000_000.25


def fitness(goal_id: str = "a", *, value: float | None = None) -> Fitness:
    return Fitness(
        "2026-05-28T20:26:40Z", "abc1234", (GoalResult(goal_id, GoalOutcome.PASS, 5, 0.1, value=value, threshold=80.0),)
    )


def test_two_measurements_of_one_moment_are_two_files_in_their_order(tmp_path: Path) -> None:
    paths = [snapshots.save(str(tmp_path), fitness(name), WALL) for name in "abc"]
    assert paths == sorted(set(paths))
    assert Path(paths[0]).name == "2026-05-28T20-26-40.250.json"
    found = snapshots.latest(str(tmp_path)).snapshot
    assert found is not None and found.fitness.goals[0].goal_id == "c"


def test_a_value_and_its_threshold_survive_the_file(tmp_path: Path) -> None:
    snapshots.save(str(tmp_path), fitness(value=81.5), WALL)
    found = snapshots.latest(str(tmp_path)).snapshot
    assert found is not None and (found.fitness.goals[0].value, found.fitness.goals[0].threshold) == (81.5, 80.0)


def test_what_is_no_snapshot_is_told_or_passed_over(tmp_path: Path) -> None:
    snapshots.save(str(tmp_path), fitness(), WALL)
    (tmp_path / "zzz.json").write_text("{}")
    (tmp_path / "2027-01-01T00-00-00.000.json").write_bytes(b"\xff{")
    (tmp_path / "2028-01-01T00-00-00.000.json").mkdir()
    found = snapshots.latest(str(tmp_path))
    assert found.snapshot is not None
    assert [Path(path).name[:4] for path in found.unreadable] == ["2028", "2027"]
    assert snapshots.latest(str(tmp_path / "nowhere")) == snapshots.Latest(None)


def test_an_era_is_the_bytes_of_the_goals_file(tmp_path: Path) -> None:
    raw = b"# Goals\r\n"
    assert snapshots.era_of(raw) == f"goals-{hashlib.sha256(raw).hexdigest()[:12]}"
    folder = snapshots.era_folder(str(tmp_path), raw)
    assert not snapshots.has_baseline(folder)
    snapshots.save(folder, fitness(), WALL)
    assert snapshots.has_baseline(folder)


def test_a_history_of_others_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / goal_history.HISTORY
    path.parent.mkdir(parents=True)
    path.write_bytes(b'\n[]\n{"timestamp":5}\n{"timestamp":"t","score":"high","goals_passing":null}\n\xff\n')
    found = goal_history.read(str(tmp_path))
    assert found.rows == (goal_history.HistoryRow("t", 0, 0, 0.0),)
    assert found.bad_lines == 3
    goal_history.append(str(tmp_path), fitness(), str(tmp_path / "s" / "x.json"))
    assert goal_history.read(str(tmp_path)).rows[-1].snapshot_path == "s/x.json"
