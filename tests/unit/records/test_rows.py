"""The ledger: what damage, other writers and crashes do to it, and what must still be read."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentops.core.judging import Result
from agentops.records import rows
from agentops.records.rows import CycleRow

SESSION = "20261130-2304-a1b2"


def row(cycle: int, result: Result = Result.IMPROVED, *, session_id: str = SESSION, title: str | None = None) -> CycleRow:
    return CycleRow(cycle, "tests-green", result, "2026-11-30T21:00:00Z", session_id=session_id, title=title)


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    return str(tmp_path / ".agents" / "evolve" / "cycle-history.jsonl")


def test_a_row_is_what_shell_readers_grep_for() -> None:
    line = rows.encode(row(7, Result.UNCHANGED))
    assert line.startswith(b'{"cycle":7,"target":"tests-green","result":"unchanged","timestamp":"2026-11-30T21:00:00Z"')
    assert b": " not in line and b", " not in line and b"null" not in line


def test_a_row_comes_back_as_it_was_written(ledger: str) -> None:
    full = CycleRow(
        cycle=3,
        target="tests-green",
        result=Result.REGRESSED,
        timestamp="2026-11-30T21:00:00Z",
        sha="abc",
        canonical_sha="abc",
        log_sha="def",
        goals_passing=2,
        goals_total=3,
        idle_streak=0,
        oscillations=1,
        reason="goal:lint",
        session_id=SESSION,
        run_id=f"{SESSION}.2",
        source="goal",
        worker="phases",
        title="žluť 🚀 \u2028 <&>",
        agent="claude",
        tokens_in=10,
        tokens_out=0,
        usd=0.25,
        cost_known=False,
        seconds=12.5,
        phases={"discovery": 1.5, "implementation": 11.0},
        files_changed=0,
        level="bwrap",
        contested=("a b.txt", "\\xff.bin"),
        notes="line\nbreak",
    )
    rows.append(ledger, full)
    assert rows.tail(ledger).rows == (full,)


def test_no_ledger_is_an_empty_one(ledger: str) -> None:
    assert rows.last_cycle(ledger) == 0
    assert rows.tail(ledger) == rows.Tail()


@pytest.mark.parametrize(
    "tail",
    [
        b'{"cycle":9,"targ',
        b"\n\n",
        b"\xff\xfe\x00garbage\n",
        b"[" * 5000 + b"\n",
        b'"text"\n',
        b'{"cycle":"9"}\n',
        b'{"cycle":true}\n',
    ],
    ids=["torn", "blank", "bytes", "deep", "text", "number-as-text", "boolean"],
)
def test_damage_after_the_last_row_does_not_hide_it(ledger: str, tail: bytes) -> None:
    rows.append(ledger, row(8))
    with Path(ledger).open("ab") as file:
        file.write(tail)
    assert rows.last_cycle(ledger) == 8
    rows.append(ledger, row(9))
    assert [seen.cycle for seen in rows.tail(ledger).rows] == [8, 9]


def test_bad_lines_are_counted_and_blank_ones_are_not(ledger: str) -> None:
    rows.append(ledger, row(1))
    with Path(ledger).open("ab") as file:
        file.write(b"\n   \nnonsense\n{}\n")
    assert rows.tail(ledger).bad_lines == 2


def test_a_row_written_around_the_script_with_an_old_number_does_not_turn_the_count_back(ledger: str) -> None:
    for cycle in (4, 5, 3):
        rows.append(ledger, row(cycle))
    assert rows.last_cycle(ledger) == 5


def test_a_number_beyond_reason_does_not_end_the_numbering(ledger: str) -> None:
    rows.append(ledger, row(5))
    with Path(ledger).open("ab") as file:
        file.write(b'{"cycle":99999999999999999999999999,"target":"x","result":"improved"}\n{"cycle":-4}\n')
    assert rows.last_cycle(ledger) == 5


def test_rows_of_older_writers_are_understood(ledger: str) -> None:
    Path(ledger).parent.mkdir(parents=True)
    Path(ledger).write_text(
        '{"cycle": 1, "goal_id": "lint", "result": "improved", "timestamp": "2026-03-01T10:00:00-05:00", "commit_sha": "abc"}\n'
        '{"cycle": 2, "mode": "x", "result": "scout", "commit": "def", "started_at": "2026-03-02T10:00:00Z"}\n'
        '{"cycle": 3.0, "goal_ids": ["a"], "parallel": true, "result": "improved"}\r\n'
        '{"cycle": 4, "target": 17, "result": null, "goals_passing": "two", "contested": "no", "phases": []}\n'
    )
    first, second, third, fourth = rows.tail(ledger).rows
    assert (first.target, first.sha, first.result) == ("lint", "abc", Result.IMPROVED)
    assert (second.result, second.timestamp, second.sha, second.target) == ("scout", "2026-03-02T10:00:00Z", "def", "")
    assert (third.cycle, third.target) == (3, "parallel-wave")
    assert (fourth.target, fourth.result, fourth.goals_passing, fourth.contested) == ("", "", None, None)


def test_a_row_is_written_once_however_often_recovery_asks(ledger: str) -> None:
    assert rows.append_once(ledger, row(1))
    assert not rows.append_once(ledger, row(1))
    assert rows.append_once(ledger, row(2))
    assert [seen.cycle for seen in rows.tail(ledger).rows] == [1, 2]


def test_another_sessions_row_of_the_same_number_does_not_stand_for_ours(ledger: str) -> None:
    rows.append(ledger, row(1, session_id="20261129-2304-ffff"))
    assert rows.append_once(ledger, row(1))


def test_a_torn_row_does_not_count_as_written(ledger: str) -> None:
    Path(ledger).parent.mkdir(parents=True)
    Path(ledger).write_bytes(rows.encode(row(1))[:-5])
    assert rows.append_once(ledger, row(1))
    assert [seen.cycle for seen in rows.tail(ledger).rows] == [1]


def test_a_mebibyte_of_garbage_at_the_end_does_not_restart_the_numbering(ledger: str) -> None:
    rows.append(ledger, row(41))
    with Path(ledger).open("ab") as file:
        file.write(b"\0" * (1 << 20))
    assert rows.last_cycle(ledger) == 41


@pytest.mark.slow
def test_a_million_rows_are_not_read(ledger: str) -> None:
    Path(ledger).parent.mkdir(parents=True)
    with Path(ledger).open("wb") as file:
        file.writelines(rows.encode(row(cycle)) + b"\n" for cycle in range(1, 1_000_001))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert rows.last_cycle(ledger) == 1_000_000
    assert len(rows.tail(ledger).rows) < 2_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 * 1024  # KiB; the file holds over 100 MB


@pytest.mark.parametrize("point", ["rows.append.before", "files.append.before", "files.fsync.before", "rows.append.after"])
def test_a_kill_around_the_append_leaves_the_row_once_after_the_next_try(ledger: str, point: str) -> None:
    program = (
        f"from agentops.records import rows; rows.append_once({ledger!r}, rows.CycleRow(1, 't', 'improved', 'x', session_id='s'))"
    )
    env = {**os.environ, "AO_FAULT": f"{point}:1:kill"}
    died = subprocess.run([sys.executable, "-c", program], env=env, cwd=os.getcwd(), check=False)
    assert died.returncode == -signal.SIGKILL
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert [json.loads(line)["cycle"] for line in Path(ledger).read_bytes().splitlines()] == [1]


@given(st.lists(st.binary(max_size=60), max_size=30))
@settings(max_examples=150, deadline=None)
def test_no_bytes_whatever_crash_a_reader(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    ledger = tmp_path_factory.mktemp("ledger") / "history.jsonl"
    ledger.write_bytes(b"\n".join(lines))
    seen = rows.tail(str(ledger))
    assert seen.size == len(ledger.read_bytes())
    assert rows.last_cycle(str(ledger)) == max((one.cycle for one in seen.rows), default=0)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=2)
)


@given(st.dictionaries(st.sampled_from(CycleRow.__slots__), JSON, max_size=8))
@settings(max_examples=300, deadline=None)
def test_any_type_in_any_field_is_a_row_or_none(fields: dict[str, object]) -> None:
    found = rows.decode(json.dumps(fields).encode())
    assert found is None or rows.decode(rows.encode(found)) == found


@given(st.lists(st.integers(0, 2**40) | st.binary(max_size=20).filter(lambda junk: b"\n" not in junk), min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_the_last_cycle_never_falls_as_rows_and_junk_are_added(
    tmp_path_factory: pytest.TempPathFactory, added: list[int | bytes]
) -> None:
    ledger = str(tmp_path_factory.mktemp("ledger") / "history.jsonl")
    last = 0
    for one in added:
        if isinstance(one, int):
            rows.append(ledger, row(one))
        else:
            with Path(ledger).open("ab") as file:
                file.write(one + b"\n")
        now = rows.last_cycle(ledger)
        assert now >= last
        last = now
    assert last == max((one for one in added if isinstance(one, int)), default=0)
