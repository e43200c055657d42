"""Phase folders, council reports and upstream's files of a run, on real folders."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.agents import AgentRun
from agentops.core.clock import Instant
from agentops.core.judging import Result
from agentops.core.places import Place, Snapshot, Start
from agentops.core.processes import Ended
from agentops.host.clock import SystemClock
from agentops.records.packets import PhaseResult
from agentops.records.rows import CycleRow
from agentops.rpi.artifacts import Artifacts
from agentops.rpi.council import fresh
from agentops.rpi.forgetting import forget_old_runs
from agentops.rpi.phase_folders import PhaseFolders, read_results
from agentops.rpi.scope_escapes import name_of, report
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said

START = Start(7, "s.2", Instant(0, 0), Snapshot("", "", None, ""))
FINE = AgentRun(Ended.OK)


@pytest.fixture
def folders(tmp_path: Path) -> PhaseFolders:
    return PhaseFolders(str(tmp_path / "live"), str(tmp_path / "home"), exit_speaks=False)


def place(tmp_path: Path) -> Place:
    return cast(Place, SimpleNamespace(path=str(tmp_path / "repo")))


def result(phase: Phase, status: str, at: str, error: str = "") -> PhaseResult:
    number = list(Phase).index(phase) + 1
    return PhaseResult("s.c7", number, str(phase), status, error=error, completed_at=at, started_at=at)


def test_a_phase_folder_is_private_fresh_and_comes_home(folders: PhaseFolders, tmp_path: Path) -> None:
    folder = folders.open(START, Phase.DISCOVERY, 1, place(tmp_path))
    assert (os.stat(folder.path).st_mode & 0o777, os.listdir(folder.path)) == (0o700, [])
    assert os.stat(tmp_path / "live").st_mode & 0o777 == 0o700
    (Path(folder.path) / "plan.md").write_text("the plan")
    (Path(folder.path) / "verdict.json").write_bytes(b'\xef\xbb\xbf{"verdict": "PASS"}')
    os.mkfifo(Path(folder.path) / "pipe")
    verdict = folders.close(folder, FINE)
    assert verdict is not None and verdict.said is Said.PASS
    assert os.listdir(tmp_path / "live") == [], "a night leaves no empty folders"
    (home,) = folders.finished(START)
    assert sorted(os.listdir(home)) == ["plan.md", "verdict.json"]
    again = folders.said(START, Phase.DISCOVERY)
    assert again is not None and again.said is Said.PASS
    folders.begin(START)
    assert folders.finished(START) == [], "a cycle begun afresh hears nothing of another of its number"


def test_a_link_as_verdict_is_not_followed(folders: PhaseFolders, tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text('{"verdict": "PASS"}')
    folder = folders.open(START, Phase.VALIDATION, 1, place(tmp_path))
    (Path(folder.path) / "verdict.json").symlink_to(tmp_path / "theirs")
    assert folders.close(folder, FINE) is None


def test_later_prompts_get_the_last_try_of_each_phase_and_its_results_in_order(folders: PhaseFolders, tmp_path: Path) -> None:
    for phase, tries in ((Phase.IMPLEMENTATION, 11), (Phase.DISCOVERY, 1)):
        for attempt in range(1, tries + 1):
            folder = folders.open(START, phase, attempt, place(tmp_path))
            folders.close(folder, FINE)
            folders.note(folder, result(phase, "retrying", f"2026-01-01T00:{attempt:02}:00Z", error=str(attempt)))
    assert [os.path.basename(path) for path in folders.finished(START)] == ["discovery-1", "implementation-11"]
    assert [one.error for one in folders.results(START)][-1] == "11"


STAMPS = st.dictionaries(
    st.sampled_from(["a-pre-mortem.md", "b-vibe.md", "c-post-mortem.md", "d-vibe-post-mortem.md", "e.md"]),
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
)


@given(STAMPS, STAMPS, st.sampled_from(Phase))
def test_only_reports_of_the_phase_that_appeared_or_changed_speak(before: Any, now: Any, phase: Phase) -> None:
    for name in fresh(before, now, phase):
        assert before.get(name) != now[name] and "post-mortem" not in name
        assert ("pre-mortem" in name) is (phase is Phase.DISCOVERY)
    assert phase is not Phase.IMPLEMENTATION or fresh(before, now, phase) == []


def row(result_: Result, reason: str) -> CycleRow:
    return CycleRow(7, "g", result_, "2026-12-01T00:00:00Z", reason=reason, run_id="s.2", worker="phases", title="the goal")


@pytest.mark.parametrize(
    ("outcome", "reason", "status"),
    [
        (Result.IMPROVED, "target_reached", "completed"),
        (Result.REGRESSED, "goal:x", "failed"),
        (Result.UNCHANGED, "target_unmoved", "failed"),
        (Result.UNCHANGED, "interrupted", "interrupted"),
        (Result.UNCHANGED, "already_done", "completed"),
    ],
)
def test_a_run_is_completed_only_when_its_work_is_kept(
    folders: PhaseFolders, tmp_path: Path, outcome: Result, reason: str, status: str
) -> None:
    """Upstream takes a completed run as proof that queued work is done."""
    folder = folders.open(START, Phase.DISCOVERY, 1, place(tmp_path))
    folders.close(folder, FINE)
    folders.note(folder, result(Phase.DISCOVERY, "completed", "2026-01-01T00:00:00Z"))
    Artifacts(str(tmp_path / "repo"), str(tmp_path / "home")).publish(row(outcome, reason))
    state = json.loads((tmp_path / "repo/.agents/rpi/runs/s.c7/phased-state.json").read_text())
    assert (state["terminal_status"], state["terminal_reason"], state["goal"]) == (status, reason, "the goal")
    assert json.loads((tmp_path / "repo/.agents/rpi/phased-state.json").read_text()) == state


def test_the_latest_of_another_tool_is_not_overwritten(folders: PhaseFolders, tmp_path: Path) -> None:
    theirs = tmp_path / "repo" / ".agents" / "rpi" / "phased-state.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"run_id": "0123456789ab", "goal": "theirs"}')
    folder = folders.open(START, Phase.DISCOVERY, 1, place(tmp_path))
    folders.close(folder, FINE)
    folders.note(folder, result(Phase.DISCOVERY, "completed", "2026-01-01T00:00:00Z"))
    Artifacts(str(tmp_path / "repo"), str(tmp_path / "home")).publish(row(Result.IMPROVED, "judged"))
    assert json.loads(theirs.read_text())["goal"] == "theirs"
    assert (theirs.parent / "runs" / "s.c7" / "phased-state.json").exists()


def test_results_that_are_none_are_passed_over(tmp_path: Path) -> None:
    for name, raw in (("discovery-1", b"{"), ("validation-1", b'{"phase": "x"}'), ("implementation-1", b"\xff")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "phase-result.json").write_bytes(raw)
    assert read_results(str(tmp_path)) == []


def test_a_scope_escape_of_the_agents_own_hand_stands_as_it_is() -> None:
    assert report("t", "g", None, "# mine") == "# mine\n"
    made = report("t", "g", PhaseVerdict(Said.SCOPE_ESCAPE, "why", ("one",)), None)
    assert "why" in made and "- one" in made and "gave no reason" in report("t", "g", None, "")
    assert name_of("2026-12-01", 3, "../A b/ü") == "2026-12-01-cycle-3-a-b.md"


def test_runs_of_last_month_are_forgotten_and_those_of_this_one_stay(tmp_path: Path) -> None:
    clock = SystemClock()
    for name in ("home/old", "home/new", "agents/rpi/runs/old", "agents/rpi/runs/new"):
        (tmp_path / name / "x").mkdir(parents=True)
    for name in ("home/old", "agents/rpi/runs/old"):
        os.utime(tmp_path / name, (clock.now().wall - 31 * 86400,) * 2)
    assert forget_old_runs(str(tmp_path / "home"), str(tmp_path / "agents"), clock) == 2
    assert os.listdir(tmp_path / "home") == os.listdir(tmp_path / "agents/rpi/runs") == ["new"]


def test_what_an_agent_lays_under_our_own_name_neither_speaks_nor_ends_the_night(folders: PhaseFolders, tmp_path: Path) -> None:
    for attempt in (1, 2):
        folder = folders.open(START, Phase.DISCOVERY, attempt, place(tmp_path))
        forged = Path(folder.path, "phase-result.json")
        forged.mkdir() if attempt == 1 else forged.write_text("[" * 100_000)
        folders.close(folder, FINE)
        assert len(folders.results(START)) == attempt - 1, "a crash here must not believe the agent's file"
        folders.note(folder, result(Phase.DISCOVERY, "completed", f"2026-12-01T00:00:0{attempt}Z"))
        assert len(folders.results(START)) == attempt


def test_upstreams_files_are_not_written_through_a_link_that_a_cycle_left(folders: PhaseFolders, tmp_path: Path) -> None:
    folder = folders.open(START, Phase.DISCOVERY, 1, place(tmp_path))
    folders.close(folder, FINE)
    folders.note(folder, result(Phase.DISCOVERY, "completed", "2026-12-01T00:00:01Z"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "repo" / ".agents").mkdir(parents=True)
    (tmp_path / "repo" / ".agents" / "rpi").symlink_to(elsewhere)
    told = Artifacts(str(tmp_path / "repo"), str(tmp_path / "home")).publish(row(Result.IMPROVED, "judged"))
    assert list(elsewhere.iterdir()) == [] and told is not None and "no folder of this tree" in told
