"""The demo: its project is what it says, and its story is what happened."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from agentops.app.demo import make
from agentops.app.demo_project import HISTORY, QUEUE, QUEUE_ITEM
from agentops.core.processes import SandboxLevel
from agentops.core.stops import Stop, StopReason
from agentops.evolve.report import SessionReport
from agentops.goals.document import load
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.records import rows
from agentops.views import demo as words
from agentops.views.blocks import Table
from tests.cli.conftest import Ao, Repo


@pytest.fixture
def project(tmp_path: Path, environment: dict[str, str]) -> Repo:
    clock = SystemClock()
    at = make(str(tmp_path / "demo"), environment, Launcher(clock, SandboxLevel.GROUP), StopScope(clock))
    return Repo(Path(at), environment)


def _bash(project: Repo, text: str) -> int:
    return subprocess.run(["bash", "-c", text], cwd=project.path, env=project.env, capture_output=True, check=False).returncode


def test_the_project_has_a_history_and_is_clean(project: Repo) -> None:
    titles = project.git("log", "--reverse", "--format=%s").splitlines()
    assert titles == [commit.title for commit in HISTORY]
    days = [float(at) for at in project.git("log", "--reverse", "--format=%ct").split()]
    assert days == sorted(days) and days[-1] - days[0] > 7 * 86400
    assert project.git("status", "--porcelain", "--ignored") == ""
    goals = load(str(project.path / "GOALS.md")).goals
    assert (len(titles), len(goals)) == (6, 7) and "six commits and seven goals" in str(words.before("/d", 5)[0])


def test_its_goals_fail_for_the_reasons_that_they_are_there_for(project: Repo) -> None:
    document = load(str(project.path / "GOALS.md"))
    assert not document.problems
    failing = {goal.id: goal for goal in document.goals if _bash(project, goal.check) != 0}
    assert set(failing) == {"release-notes", "top-works", "lint", "usage-snapshot", "build-number", "no-debugging"}
    assert {name for name, goal in failing.items() if not goal.fix} == {"release-notes", "top-works"}
    for name in ("lint", "usage-snapshot", "build-number"):
        assert _bash(project, failing[name].fix or "") == 0
        assert _bash(project, failing[name].check) == 0, name
        assert _bash(project, "python3 test_tally.py") == 0, name
    assert _bash(project, failing["no-debugging"].fix or "") == 0
    assert _bash(project, "python3 test_tally.py") != 0, "this one is there to be taken back"
    assert document.directives[0].gates == ("top-works",)


def test_what_an_earlier_session_left_can_be_mended(project: Repo) -> None:
    assert _bash(project, str(QUEUE["check"])) != 0
    assert _bash(project, str(QUEUE["fix"])) == 0
    assert _bash(project, str(QUEUE["check"])) == 0
    tail = rows.tail(str(project.path / ".agents/evolve/cycle-history.jsonl"))
    assert [(row.cycle, row.target, row.result) for row in tail.rows] == [
        (1, "build-number", "improved"),
        (2, "build-number", "improved"),
    ], "twice round in a circle before anybody looks"


def test_a_folder_that_holds_something_is_left_alone(ao: Ao, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    ao("demo", "--into", ".", cwd=tmp_path).refused(2, "not empty")
    assert os.listdir(tmp_path / "home") == []


def test_the_story_tells_only_what_the_rows_say() -> None:
    told = rows.CycleRow(3, "no-debugging", "regressed", "2026-12-01T00:00:00Z", source="goal")
    idle = rows.CycleRow(4, "idle", "unchanged", "2026-12-01T00:00:00Z")
    other = rows.CycleRow(5, "lint", "unchanged", "2026-12-01T00:00:00Z", source="goal")
    report = SessionReport("s", "s.1", 0.0, 7.0, 7.0, Stop(StopReason.MAX_CYCLES, ""), rows=(told, idle, other))
    tables = [one for one in words.after(report, "/d", "scripts/ao", kept=True) if isinstance(one, Table)]
    assert [row[0] for row in tables[0].rows] == ["3", "5"]
    assert "taken back" in tables[0].rows[0][1] and tables[0].rows[1][1] == "lint: unchanged"
    assert [row[0] for row in tables[1].rows][:2] == ["cd /d", "scripts/ao diff 3"]
    assert len([one for one in words.after(report, "/d", "ao", kept=False) if isinstance(one, Table)]) == 1


@pytest.mark.slow
def test_the_demo_tells_the_truth(ao: Ao, tmp_path: Path, environment: dict[str, str]) -> None:
    done = ao("demo", "--into", "demo", "--json", cwd=tmp_path)
    assert done.code == 0, done
    demo = Repo(tmp_path / "demo", environment)
    report = json.loads(done.out)
    assert report["folder"] == str(demo.path) and report["stop_reason"] == "max-cycles"
    assert [(row["target"], row["result"]) for row in report["rows"]] == [
        (QUEUE_ITEM, "improved"),
        ("lint", "improved"),
        ("usage-snapshot", "improved"),
        ("build-number", "improved"),
        ("build-number", "quarantined"),
        ("no-debugging", "regressed"),
    ]
    assert "release-notes" in done.err and "top-works" in done.err, "what nobody could mend is named"
    assert "the item from the queue: its fix ran" in done.err
    assert "DEBUG" in (demo.path / "tally.py").read_text(), "the fix that broke the tests was taken back"
    baselines = list((demo.path / ".agents/evolve/fitness-baselines").rglob("*.json"))
    assert len(baselines) == 1 and done.err.count("baseline of this goals file") == 1, "an item's check is no reason for another"
    assert demo.git("status", "--porcelain", "--", ":!.agents") == ""
    committed = demo.git("ls-files", "--", ".agents/evolve/fitness-baselines").split()
    assert [str(one.relative_to(demo.path)) for one in baselines] == committed, "the ledger is read against it: it goes with it"
    assert ao("undo", cwd=demo.path).code == 0
    assert "import os" in (demo.path / "tally.py").read_text(), "as it was before the session"


def test_nothing_is_left_of_a_demo_that_was_not_to_be_kept(ao: Ao, tmp_path: Path, home: Path) -> None:
    (home / ".config" / "evolve" / "KILL").mkdir(parents=True)  # so that it ends before it begins
    done = ao("demo", "--no-keep", cwd=tmp_path, env={"TMPDIR": str(tmp_path)})
    assert done.code == 0 and "nothing was done" in done.out, done
    assert [name for name in os.listdir(tmp_path) if name.startswith("ao-demo-")] == []
    assert "Try next" not in done.out
