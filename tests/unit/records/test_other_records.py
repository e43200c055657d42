"""Snapshots, events, telemetry, session state: others read these files, and they must not cost a cycle."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentops.core.events import Event
from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import Result
from agentops.host.clock import SystemClock
from agentops.records import fitness_file, session_state, telemetry
from agentops.records.event_log import EventLog
from agentops.records.rows import CycleRow
from agentops.records.times import utc_text, wall_of

FITNESS = Fitness(
    "2026-04-02T10:00:00Z",
    "abc1234",
    (
        GoalResult("a-pass", GoalOutcome.PASS, 3, 1.25, "86.1", 86.1),
        GoalResult("b-fail", GoalOutcome.FAIL, 7, 0.0, "no\nway"),
        GoalResult("c-skip", GoalOutcome.SKIP, 10, 60.0, timed_out=True),
        GoalResult("d-broken", GoalOutcome.FAIL, 1, 0.0, "bash: line 1: x: command not found", broken=True),
    ),
    ("lockfile.json",),
)


def test_both_readers_of_a_snapshot_find_the_failing_goals(tmp_path: Path) -> None:
    path = tmp_path / ".agents" / "evolve" / "fitness-latest.json"
    fitness_file.write(str(path), FITNESS)
    found = json.loads(path.read_text())
    for key in ("goal_id", "id"):
        assert [goal[key] for goal in found["goals"] if goal["result"] == "fail"] == ["b-fail", "d-broken"]
    assert found["summary"] == {"total": 4, "passing": 1, "failing": 2, "skipped": 1, "score": 3 / 11 * 100}
    assert "value" not in found["goals"][1] and "threshold" not in found["goals"][0] and "output" not in found["goals"][2]
    assert found["goals"][3]["broken"] is True and "broken" not in found["goals"][0]
    assert found["mutating"] == ["lockfile.json"]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is what upstream's scripts read it with")
def test_upstreams_own_filter_selects_what_fails(tmp_path: Path) -> None:
    path = tmp_path / "fitness.json"
    fitness_file.write(str(path), FITNESS)
    said = subprocess.run(["jq", "-r", '.goals[] | select(.result=="fail") | .id', path], capture_output=True, check=True)
    assert said.stdout.split() == [b"b-fail", b"d-broken"]


def test_no_goals_are_an_empty_list_and_score_zero() -> None:
    found = json.loads(fitness_file.encode(Fitness("t", "")))
    assert found["goals"] == [] and found["summary"] == {"total": 0, "passing": 0, "failing": 0, "skipped": 0, "score": 0}
    assert b'"score":0}' in fitness_file.encode(Fitness("t", ""))


def test_a_whole_score_is_a_whole_number() -> None:
    only = Fitness("t", "", (GoalResult("a", GoalOutcome.PASS, 3, 2.0, value=80.0),))
    assert b'"score":100}' in fitness_file.encode(only) and b'"value":80,' in fitness_file.encode(only)


def test_a_snapshot_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = str(tmp_path / "fitness.json")
    fitness_file.write(path, FITNESS)
    assert fitness_file.read(path) == FITNESS


@pytest.mark.parametrize("key", ["goal_id", "id"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_snapshots_of_either_kind_are_read(key: str, wrapped: bool) -> None:
    snapshot: object = {
        "timestamp": "t",
        "git_sha": "s",
        "goals": [{key: "a", "result": "pass", "value": None, "duration_s": 2}, {}, 3],
    }
    if wrapped:
        snapshot = {"mode": "full", "snapshot": snapshot, "directives": []}
    assert fitness_file.decode(json.dumps(snapshot).encode()) == Fitness("t", "s", (GoalResult("a", GoalOutcome.PASS, 5, 2.0),))


@pytest.mark.parametrize("data", [b"", b'{"goals": [tru', b"[]", b"{}", b"\xff", b"[" * 9999, b'{"snapshot": 1}'])
def test_what_is_no_snapshot_is_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "fitness.json"
    path.write_bytes(data)
    assert fitness_file.read(str(path)) is None


def test_upstreams_null_for_no_goals_is_read() -> None:
    assert fitness_file.decode(b'{"timestamp":"t","git_sha":"","goals":null}') == Fitness("t", "")


def test_a_snapshot_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "fitness.json")
    fitness_file.write(path, FITNESS)

    def full(point: str) -> None:
        if point == "files.rename.before":
            raise OSError("disk full")

    monkeypatch.setattr("agentops.host.files.fault", full)
    with pytest.raises(OSError, match="disk full"):
        fitness_file.write(path, Fitness("later", ""))
    assert fitness_file.read(path) == FITNESS and os.listdir(tmp_path) == ["fitness.json"]


RESULTS = st.builds(
    GoalResult,
    goal_id=st.text(min_size=1, max_size=8),
    outcome=st.sampled_from(GoalOutcome),
    weight=st.integers(1, 10),
    seconds=st.integers(0, 10**6).map(lambda ms: round(ms / 1000, 3)),
    output=st.text(max_size=20),
    value=st.none() | st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200),
    broken=st.booleans(),
    timed_out=st.booleans(),
    out_of_memory=st.booleans(),
    not_started=st.booleans(),
)


@given(st.lists(RESULTS, max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_snapshot_comes_back(goals: list[GoalResult]) -> None:
    fitness = Fitness("2026-04-02T10:00:00Z", "abc", tuple(goals))
    assert fitness_file.decode(fitness_file.encode(fitness)) == fitness


def log(path: Path, **sizes: int) -> EventLog:
    return EventLog(str(path), SystemClock(), "20261130-2304-a1b2.1", **sizes)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@dataclass(frozen=True, slots=True)
class Fact:
    name: str


def test_an_event_carries_its_facts_whatever_they_are(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log(path).emit(
        Event.NOTICE, text="žluť", paths=frozenset({"b", "a"}), odd=object(), record=Fact("x"), result=Result.IMPROVED, event=1
    )
    (found,) = lines(path)
    assert (found["event"], found["run"], found["text"]) == ("notice", "20261130-2304-a1b2.1", "žluť")
    assert found["paths"] == ["a", "b"] and found["record"] == {"name": "x"} and found["result"] == "improved"
    assert wall_of(str(found["at"])) is not None


def test_an_event_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    log(blocked / "events.jsonl").emit(Event.NOTICE)

    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError("no text")

    log(tmp_path / "events.jsonl").emit(Event.NOTICE, fact=Hostile())
    assert not (tmp_path / "events.jsonl").exists()


def test_a_log_rotates_keeps_so_many_and_loses_nothing_between(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = log(path, rotate_bytes=400, keep=2)
    for number in range(40):
        events.emit(Event.NOTICE, number=number)
    names = sorted(os.listdir(tmp_path))
    assert names == ["events.jsonl", "events.jsonl.1", "events.jsonl.2"]
    kept = [line["number"] for name in reversed(names) for line in lines(tmp_path / name)]
    assert kept == list(range(40))[-len(kept) :] and len(kept) < 40
    assert all((tmp_path / name).stat().st_size <= 400 for name in names)


def test_a_follower_sees_another_file_after_rotation(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    events = log(path, rotate_bytes=150, keep=1)
    events.emit(Event.NOTICE, number=1)
    with path.open("rb") as follower:
        events.emit(Event.NOTICE, number=2)
        events.emit(Event.NOTICE, number=3)
        assert path.stat().st_ino != os.fstat(follower.fileno()).st_ino


def test_session_state_keeps_what_others_wrote_into_it(tmp_path: Path) -> None:
    path = tmp_path / ".agents" / "evolve" / "session-state.json"
    assert session_state.update(str(path), {"cycle": 1, "mode": "standard"}) is None
    others = json.loads(path.read_text()) | {"x_team": {"note": [1, 2]}}
    path.write_text(json.dumps(others))
    assert session_state.update(str(path), {"cycle": 2}) is None
    assert json.loads(path.read_text()) == {"cycle": 2, "mode": "standard", "x_team": {"note": [1, 2]}}
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("broken", [b"", b'{"cycle": 1', b"[1]", b"\xff\xfe"])
def test_a_broken_session_state_is_kept_aside_and_said(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "session-state.json"
    path.write_bytes(broken)
    said = session_state.update(str(path), {"cycle": 3})
    assert said is not None and ".bad" in said
    assert json.loads(path.read_text()) == {"cycle": 3}
    assert (tmp_path / "session-state.json.bad").read_bytes() == broken


def test_a_session_state_that_cannot_be_written_is_said_not_raised(tmp_path: Path) -> None:
    (tmp_path / "session-state.json").mkdir()
    assert "could not be written" in (session_state.update(str(tmp_path / "session-state.json"), {"cycle": 1}) or "")


def test_telemetry_has_upstreams_shape_and_its_failure_is_nobodys(tmp_path: Path) -> None:
    row = CycleRow(3, "lint", Result.IMPROVED, "2026-11-30T21:00:00Z", goals_passing=2)
    path = tmp_path / ".agents" / "ao" / "skill-telemetry.jsonl"
    telemetry.cycle_complete(str(path), row)
    (found,) = lines(path)
    assert found == {
        "schema_version": 1,
        "skill": "evolve",
        "event": "cycle-complete",
        "timestamp": "2026-11-30T21:00:00Z",
        "cycle": 3,
        "target": "lint",
        "result": "improved",
        "goals_passing": 2,
    }
    telemetry.cycle_complete(str(path / "below-a-file"), row)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "0000-00-00"])
def test_a_time_that_is_none_is_not_the_epoch(text: str) -> None:
    assert wall_of(text) is None


def test_times_with_offsets_are_the_same_moment() -> None:
    assert wall_of("2026-03-01T05:00:00-05:00") == wall_of("2026-03-01T10:00:00Z") == wall_of("2026-03-01T10:00:00")
    assert utc_text(wall_of("2026-03-01T05:00:00-05:00") or 0) == "2026-03-01T10:00:00Z"


def test_gate_costs_are_the_last_ones_and_never_in_the_way(tmp_path: Path) -> None:
    from agentops.records.gate_costs import GateCosts

    costs = GateCosts(str(tmp_path / "gate-costs.json"))
    assert costs.read() == {}
    costs.note("make test", 12.3456)
    costs.note("npm test", 1.0)
    costs.note("make test", 3.0)
    assert dict(costs.read()) == {"npm test": 1.0, "make test": 3.0}
    (tmp_path / "gate-costs.json").write_bytes(b'{"make test": "lon')
    assert costs.read() == {}
    costs.note("make test", 3.0)
    assert dict(costs.read()) == {"make test": 3.0}
    for number in range(100):
        costs.note(f"one of many {number}", 1.0)
    assert len(costs.read()) == 64 and "one of many 99" in costs.read()
    GateCosts(str(tmp_path / "no" / "folder" / "x.json")).note("make test", 1.0)
