"""Views of records that are odd, torn, huge or hostile: they show what they can, and never fail."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.errors import ExitCode
from agentops.core.events import Event
from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import Result
from agentops.core.stops import Stop, StopReason
from agentops.core.work import PassedOver, WorkItem
from agentops.evolve.report import Attention, DryRun, SessionReport
from agentops.host.clock import SystemClock
from agentops.host.holders import holder
from agentops.host.locks import FileLock
from agentops.records.event_log import EventLog
from agentops.records.rows import CycleRow, Tail
from agentops.views import as_json, dry_run, events, fitness, history, report, status
from agentops.views.blocks import Block, Table, plain, printable
from agentops.views.events import Follower, Happened
from agentops.views.log_lines import agent_line, line

NOW = 1_796_000_000.0


def text_of(blocks: list[Block]) -> str:
    """A whole view as a pipe gets it."""
    return "".join(f"{line}\n" for block in blocks for line in ([block] if isinstance(block, str) else plain(block)))


def _row(cycle: int, result: Result, reason: str, **more: object) -> CycleRow:
    return CycleRow(cycle=cycle, target=f"goal-{cycle}", result=result, timestamp="2026-11-30T23:04:05Z", reason=reason, **more)  # type: ignore[arg-type]


def _report(**more: object) -> SessionReport:
    stop = Stop(StopReason.MAX_CYCLES, "2 of 2")
    return SessionReport("20261130-2304-a1b2", "20261130-2304-a1b2.1", NOW - 100, NOW, 90.0, stop, **more)  # type: ignore[arg-type]


def _fitness(**outcomes: GoalOutcome) -> Fitness:
    return Fitness(
        "2026-11-30T23:04:05Z", "abc1234", tuple(GoalResult(name, outcome, 5, 0.1) for name, outcome in outcomes.items())
    )


def test_the_report_leads_with_what_a_person_must_look_at() -> None:
    found = _report(
        rows=(_row(1, Result.IMPROVED, "target_reached", sha="0123456789abcdef", seconds=3.0),),
        attention=(Attention("cycle 2 is contested: notes.txt", "ao diff 2"),),
    )
    text = text_of(report.blocks(found, NOW))
    assert text.index("cycle 2 is contested") < text.index("goal-1")
    assert "ao diff 2" in text


def test_the_report_says_where_taken_back_work_is() -> None:
    rows = (
        _row(1, Result.IMPROVED, "target_reached", sha="0123456789abcdef"),
        _row(2, Result.REGRESSED, "goal:fast", files_changed=2),
        _row(3, Result.UNCHANGED, "target_unmoved", files_changed=0),
        _row(4, Result.UNCHANGED, "contested", contested=("a",)),
        _row(5, Result.UNCHANGED, "partial", sha="fedcba98765"),
        _row(6, Result.UNCHANGED, "words of another tool"),
    )
    lines = text_of(report.blocks(_report(rows=rows), NOW)).splitlines()
    ends = {int(text.split()[0]): text for text in lines if text.strip()[:1].isdigit()}
    assert ends[1].endswith("kept 012345678")
    assert ends[2].endswith("taken back")
    assert ends[3].endswith("no change")
    assert ends[4].endswith("left as it is")
    assert ends[5].endswith("kept fedcba987")
    assert ends[6].endswith("taken back")
    assert any("ao restore 6" in text for text in lines)


def test_goals_before_and_after_and_what_still_fails() -> None:
    found = _report(
        before=_fitness(a=GoalOutcome.FAIL, b=GoalOutcome.FAIL, c=GoalOutcome.PASS),
        after=_fitness(a=GoalOutcome.PASS, b=GoalOutcome.FAIL, c=GoalOutcome.PASS),
    )
    text = text_of(report.blocks(found, NOW))
    assert "Goals passing: 1 of 3 → 2 of 3" in text
    assert "a: fail → pass" in text
    assert "still failing: b" in text
    assert "c:" not in text


def test_a_start_that_was_not_allowed_says_so_and_nothing_else() -> None:
    stop = Stop(StopReason.KILL_SWITCH, "nothing was done: STOP is there")
    text = text_of(report.blocks(SessionReport("", "", NOW, NOW, 0.0, stop), NOW))
    assert text.startswith("Ended: a stop file was found (kill-switch): nothing was done: STOP is there")
    assert "Nothing was done." in text


def test_every_reason_to_stop_makes_a_report() -> None:
    for reason in StopReason:
        found = SessionReport("s", "s.1", NOW, NOW, 0.0, Stop(reason, ""))
        assert f"({reason})" in text_of(report.blocks(found, NOW))


def test_the_json_report_is_one_object_with_the_ledgers_rows_and_utc() -> None:
    row = _row(1, Result.IMPROVED, "target_reached", sha="0123456789abcdef", tokens_in=5)
    found = msgspec.json.decode(as_json.report(_report(rows=(row,), after=_fitness(a=GoalOutcome.PASS)), ExitCode.PLANNED))
    assert found["started"].endswith("Z")
    assert found["rows"] == [{**found["rows"][0], "cycle": 1, "target": "goal-1", "result": "improved", "tokens_in": 5}]
    assert "usd" not in found["rows"][0], "what is not known is not zero"
    assert found["usage"]["usd"] is None
    assert found["after"]["goals"][0]["id"] == found["after"]["goals"][0]["goal_id"] == "a"
    assert (found["stop_reason"], found["exit_code"]) == ("max-cycles", 0)


def test_a_dry_run_shows_the_choice_and_what_was_passed_over() -> None:
    item = WorkItem("goals", "a", "Make a pass", "", fix="true")
    found = DryRun(_fitness(a=GoalOutcome.FAIL), item, "goals", "remedy", (item,), (PassedOver("b", "it rests"),), ("cycles: 1",))
    text = text_of(dry_run.blocks(found))
    assert "would work on a" in text
    assert "b: it rests" in text
    assert msgspec.json.decode(as_json.dry_run(found))["chosen"]["key"] == "a"
    assert "nothing that the next cycle could do" in text_of(dry_run.blocks(DryRun(None, None, "", "")))


def test_measured_goals_show_why_they_fail() -> None:
    goals = (
        GoalResult("a", GoalOutcome.FAIL, 5, 0.1, output="first\nlast words"),
        GoalResult("b", GoalOutcome.FAIL, 5, 0.1, output="bash: no-such: command not found", broken=True),
        GoalResult("c", GoalOutcome.SKIP, 5, 60.0, timed_out=True),
        GoalResult("d", GoalOutcome.PASS, 5, 0.1, output="97.5", value=97.5),
    )
    text = text_of(fitness.blocks(Fitness("", "", goals)))
    assert "last words" in text
    assert "first" not in text
    assert "broken" in text
    assert "skip (time)" in text
    assert "97.5" in text
    assert "1 of 4 pass, 2 fail, 1 skipped" in text


def test_an_empty_ledger_has_a_history() -> None:
    assert "No cycle has run here yet" in text_of(history.blocks(Tail(), 20, NOW))


def test_history_counts_what_it_could_not_read() -> None:
    text = text_of(history.blocks(Tail((_row(7, Result.IMPROVED, "judged"),), bad_lines=2), 20, NOW))
    assert "2 of the last lines" in text


@given(st.text())
def test_printable_text_does_nothing_but_show(text: str) -> None:
    shown = printable(text)
    assert all(char == "\n" or (char >= " " and not "\x7f" <= char <= "\x9f") for char in shown)
    assert printable(shown) == shown


def test_columns_line_up_whatever_stands_in_them() -> None:
    lines = plain(Table(("a", "b"), (("1", "x"), ("200", "\x1b[31my\x1b[0m")), frozenset({0})))
    assert lines == ["  a  b", "  1  x", "200  y"]


@given(
    st.sampled_from(list(Event)),
    st.dictionaries(
        st.sampled_from(["cycle", "target", "seconds", "findings", "until", "passing", "fails_before", "attempt"]),
        st.one_of(st.none(), st.integers(), st.floats(0, 1e9), st.text(), st.lists(st.lists(st.text())), st.booleans()),
    ),
)
def test_any_facts_make_a_line(event: Event, facts: dict[str, object]) -> None:
    text = line(Happened(NOW, event, "s.1", facts))
    assert text is None or "\n" not in text


@given(st.binary())
def test_any_line_of_an_event_log_is_an_event_or_nothing(raw: bytes) -> None:
    events.decode(raw)


def test_the_words_of_an_agent_are_one_line_each() -> None:
    assert agent_line(b"\xff\x00 done " + b"x" * 500).startswith("          | \ufffd")
    assert len(agent_line(b"x" * 5000)) < 250


def test_events_after_a_rotation_are_still_followed(tmp_path: Path) -> None:
    path = str(tmp_path / "events.jsonl")
    log = EventLog(path, SystemClock(), "s.1", rotate_bytes=600)
    log.emit(Event.NOTICE, text="before")
    follower = Follower(path)
    assert follower.more() == []
    seen = []
    for number in range(20):
        log.emit(Event.NOTICE, text=f"line {number} {'x' * 60}")
        seen += [found.text("text").split()[1] for raw in follower.more() if (found := events.decode(raw))]
    assert seen == [str(number) for number in range(20)]
    assert os.path.exists(f"{path}.1")


def test_half_a_line_is_shown_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "t.log"
    path.write_bytes(b"")
    follower = Follower(str(path), from_start=True)
    with path.open("ab", buffering=0) as file:
        file.write(b"hal")
        assert follower.more() == []
        file.write(b"f\nnext")
        assert follower.more() == [b"half"]


def test_a_stale_description_of_a_holder_is_no_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert holder(str(path)) is None
    path.touch()
    for said in (b"", b"{", b"[]", b'{"pid":1,"since":0}', b'{"pid":"x"}'):
        (tmp_path / "lock.json").write_bytes(said)
        assert holder(str(path)) is None, said


def test_a_held_lock_is_seen_and_not_disturbed(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with FileLock(path, SystemClock(), {"run": "s.1"}):
        seen = holder(path)
        assert seen is not None
        assert (seen.pid, seen.run) == (os.getpid(), "s.1")
        (tmp_path / "lock.json").write_bytes(b"")
        unnamed = holder(path)
        assert unnamed is not None
        assert unnamed.pid == os.getpid()
    assert holder(path) is None


def test_a_session_that_was_cut_off_is_not_called_ended(tmp_path: Path) -> None:
    state, agents = tmp_path / "ao", tmp_path / ".agents"
    log = EventLog(str(state / "events.jsonl"), SystemClock(), "s.1")
    log.emit(Event.SESSION_STARTED, session="s")
    log.emit(Event.CYCLE_STARTED, cycle=3, target="a")
    found = status.look(str(state), str(agents), {})
    assert (found.running, found.cycle, found.session_id) == (False, None, "s")
    assert "was cut off" in text_of(status.blocks(found, NOW))
    log.emit(Event.SESSION_ENDED, stop_reason="budget")
    assert "ended" in text_of(status.blocks(status.look(str(state), str(agents), {}), NOW))


def test_a_running_cycle_and_its_phase(tmp_path: Path) -> None:
    state = tmp_path / "ao"
    log = EventLog(str(state / "events.jsonl"), SystemClock(), "s.2")
    with FileLock(str(state / "lock"), SystemClock()):
        log.emit(Event.SESSION_CONTINUED, session="s")
        log.emit(Event.CYCLE_STARTED, cycle=3, target="a")
        log.emit(Event.PHASE_STARTED, cycle=3, phase="implementation", attempt=1, target="a")
        found = status.look(str(state), str(tmp_path), {})
        assert (found.running, found.cycle, found.target, found.phase) == (True, 3, "a", "implementation")
        log.emit(Event.PARKED, cycle=3, phase="implementation", until=NOW)
        assert "parked until" in text_of(status.blocks(status.look(str(state), str(tmp_path), {}), NOW))
        log.emit(Event.CYCLE_ENDED, cycle=3, result="improved")
        assert status.look(str(state), str(tmp_path), {}).cycle is None


def test_stop_files_of_any_kind_are_shown(tmp_path: Path) -> None:
    home, agents = tmp_path / "home", tmp_path / ".agents"
    (home / ".config/evolve/KILL").mkdir(parents=True)
    (agents / "evolve").mkdir(parents=True)
    (agents / "evolve/STOP").write_text("tired\x1b[2J of it\n")
    (agents / "rpi").mkdir()
    (agents / "rpi/KILL").symlink_to("nowhere")
    found = status.look(str(tmp_path / "ao"), str(agents), {"HOME": str(home)})
    assert [Path(stop.path).name for stop in found.stops] == ["KILL", "KILL", "STOP"]
    text = text_of(status.blocks(found, NOW))
    assert "tired" in text
    assert "\x1b" not in text
    assert msgspec.json.decode(as_json.status(found))["running"] is False


def test_a_kill_file_in_a_configuration_folder_of_its_own_stopped_the_session_and_status_did_not_show_it(tmp_path: Path) -> None:
    (tmp_path / "config/evolve").mkdir(parents=True)
    (tmp_path / "config/evolve/KILL").touch()
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    found = status.look(str(tmp_path / "ao"), str(tmp_path / ".agents"), env)
    assert [stop.path for stop in found.stops] == [str(tmp_path / "config/evolve/KILL")]


def test_a_ledger_of_years_costs_its_end_only(tmp_path: Path) -> None:
    agents = tmp_path / ".agents"
    (agents / "evolve").mkdir(parents=True)
    row = b'{"cycle":%d,"target":"a","result":"improved","timestamp":"2026-11-30T23:04:05Z","reason":"judged"}\n'
    with (agents / "evolve/cycle-history.jsonl").open("wb") as ledger:
        ledger.writelines(row % number for number in range(1, 200_001))
    found = status.look(str(tmp_path / "ao"), str(agents), {})
    assert [one.cycle for one in found.rows] == list(range(199_996, 200_001))
    assert len(found.ledger.rows) < 2000
