"""The scripts that people and goals call by name: through a link, from a foreign repository, with their exit codes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import AO, Done, Repo

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
NAMES = [
    "evolve-measure-fitness.sh",
    "evolve-capture-baseline.sh",
    "evolve-log-cycle.sh",
    "log-telemetry.sh",
    "check-wiring-closure.sh",
]


@pytest.fixture
def foreign(repo: Repo) -> Repo:
    """A repository of somebody else, with the scripts copied into it as people do."""
    (repo.path / "scripts").mkdir()
    for name in NAMES:
        (repo.path / "scripts" / name).write_bytes((SCRIPTS / name).read_bytes())
        (repo.path / "scripts" / name).chmod(0o755)
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "scripts")
    return repo


def call(repo: Repo, name: str, *words: str, script: Path | None = None, stdin: str = "") -> Done:
    env = {**repo.env, "PATH": f"{Path(AO).parent}:{repo.env['PATH']}"}
    command = ["bash", str(script or f"scripts/{name}"), *words]
    done = subprocess.run(command, cwd=repo.path, env=env, input=stdin, capture_output=True, text=True, timeout=100, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def refused(done: Done, *words: str) -> None:
    assert done.code == 1 and not done.out, done
    assert all(word in done.err for word in words) and "Traceback" not in done.err, done


def log(repo: Repo, cycle: int, result: str = "improved", *more: str, target: str = "kept") -> Done:
    numbers = ("--goals-passing", "1", "--goals-total", "2") if result != "unchanged" else ()
    return call(repo, "evolve-log-cycle.sh", "--cycle", str(cycle), "--target", target, "--result", result, *numbers, *more)


def ledger(repo: Repo) -> list[dict[str, object]]:
    path = repo.path / ".agents/evolve/cycle-history.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_called_and_says_how(foreign: Repo, name: str) -> None:
    assert os.access(SCRIPTS / name, os.X_OK)
    done = call(foreign, name, "--help")
    assert done.code == 0 and done.out.startswith("Usage: ao script"), done


@pytest.mark.slow
def test_a_link_from_anywhere_finds_the_checkout_that_it_leads_to(repo: Repo, tmp_path: Path) -> None:
    link = tmp_path / "bin" / "measure"
    link.parent.mkdir()
    link.symlink_to(SCRIPTS / "evolve-measure-fitness.sh")
    env = {**repo.env, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", str(link), "--output", "out.json"],
        cwd=repo.path,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, str(repo.path / "out.json")), done.stderr


def test_without_any_ao_it_says_so(foreign: Repo) -> None:
    done = subprocess.run(
        ["bash", "scripts/log-telemetry.sh", "a", "b"],
        cwd=foreign.path,
        env={**foreign.env, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "no `ao`" in done.stderr


def test_a_snapshot_is_replaced_whole_and_its_path_printed(foreign: Repo) -> None:
    target = foreign.path / ".agents/evolve/fitness-latest.json"
    done = call(foreign, "evolve-measure-fitness.sh", "--output", ".agents/evolve/fitness-latest.json", "--timeout", "60")
    assert (done.code, done.out.strip()) == (0, str(target))
    assert {goal["goal_id"]: goal["result"] for goal in json.loads(target.read_text())["goals"]} == {
        "kept": "fail",
        "passes": "pass",
    }
    one = call(foreign, "evolve-measure-fitness.sh", "--output", "post.json", "--goal", "passes")
    assert one.code == 0
    assert [goal["goal_id"] for goal in json.loads((foreign.path / "post.json").read_text())["goals"]] == ["passes"]


def test_a_measurement_that_is_none_leaves_the_old_snapshot(foreign: Repo) -> None:
    target = foreign.path / "old.json"
    target.write_text("old")
    refused(call(foreign, "evolve-measure-fitness.sh", "--output", "old.json", "--goal", "gone"), "no goal `gone`")
    (foreign.path / "GOALS.md").write_bytes(b"\xff\xfe")
    refused(call(foreign, "evolve-measure-fitness.sh", "--output", "old.json"), "GOALS.md")
    refused(call(foreign, "evolve-measure-fitness.sh"), "--output")
    assert target.read_text() == "old"


def test_an_era_has_one_baseline_unless_asked(foreign: Repo) -> None:
    first = call(
        foreign, "evolve-capture-baseline.sh", "--index-path", "i.jsonl", "--legacy-path", "l.json", "--active-path", "a.txt"
    )
    path = first.out.strip()
    assert first.code == 0 and path.startswith(".agents/evolve/fitness-baselines/goals-"), first
    assert json.loads((foreign.path / path).read_text())["summary"]["total"] == 2
    row = json.loads((foreign.path / "i.jsonl").read_text())
    assert (row["path"], row["goals_total"], row["label"]) == (path, 2, path.split("/")[-2])
    assert (foreign.path / "a.txt").read_text().strip() == path and (foreign.path / "l.json").exists()
    refused(call(foreign, "evolve-capture-baseline.sh"), "has a baseline already")
    assert call(foreign, "evolve-capture-baseline.sh", "--force").code == 0
    refused(call(foreign, "evolve-capture-baseline.sh", "--label", "../x"), "../x")


def test_a_cycle_that_changed_something_is_a_row_in_the_originals_form(foreign: Repo) -> None:
    start = foreign.git("rev-parse", "HEAD").strip()
    foreign.commits("work", kept__txt="kept")
    sha = foreign.git("rev-parse", "--short", "HEAD").strip()
    queue = (
        "--queue-item",
        "add-auth",
        "--queue-index",
        "0",
        "--queue-total",
        "3",
        "--unblock-target",
        "db",
        "--unblock-depth",
        "1",
    )
    done = log(
        foreign, 1, "improved", "--canonical-sha", sha, "--cycle-start-sha", start, "--timestamp", "2026-04-02T10:00:00Z", *queue
    )
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        '{"cycle":1,"target":"kept","result":"improved","timestamp":"2026-04-02T10:00:00Z",'
        f'"sha":"{sha}","canonical_sha":"{sha}","goals_passing":1,"goals_total":2,"mode":"pinned","queue_item":"add-auth",'
        '"queue_index":0,"queue_total":3,"unblock_target":"db","unblock_depth":1}\n'
    )
    assert (foreign.path / ".agents/evolve/cycle-history.jsonl").read_text() == done.out
    assert log(foreign, 2, "unchanged", target="idle").code == 0
    refused(log(foreign, 2, "unchanged", target="idle"), "the next cycle is 3, not 2")
    assert [row["cycle"] for row in ledger(foreign)] == [1, 2]


def test_improved_without_a_change_is_logged_as_unchanged(foreign: Repo) -> None:
    start = foreign.git("rev-parse", "HEAD").strip()
    foreign.commits("only goals", GOALS__md="# other\n")
    done = log(foreign, 1, "improved", "--sha", "HEAD", "--cycle-start-sha", start, "--quality-score", "3", "--queue-item", "")
    assert done.code == 0 and "INFO" in done.err
    assert list(ledger(foreign)[0]) == ["cycle", "target", "result", "timestamp"] and ledger(foreign)[0]["result"] == "unchanged"
    assert ledger(foreign)[0]["target"] == "kept"


def test_a_row_that_breaks_a_rule_is_not_written(foreign: Repo) -> None:
    refused(log(foreign, 1, "unchanged"), "idle")
    refused(log(foreign, 1, "regressed"), "--canonical-sha")
    refused(log(foreign, 1, "regressed", "--canonical-sha", "feedbeef"), "no commit")
    refused(log(foreign, 1, "improved", "--canonical-sha", "HEAD"), "--cycle-start-sha")
    refused(log(foreign, 1, "wonderful"), "wonderful")
    refused(log(foreign, 2, "harvested", "--sha", "HEAD"), "next cycle is 1")
    refused(log(foreign, 1, "harvested", "--sha", "HEAD", "--trace-json", "[1]"), "trace-json")
    refused(log(foreign, 1, "harvested", "--sha", "HEAD", "--timestamp", "soon"), "soon")
    assert ledger(foreign) == []


def test_a_torn_row_is_stepped_over_and_stays(foreign: Repo) -> None:
    path = foreign.path / ".agents/evolve/cycle-history.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"cycle":4,"target":"a","result":"harvested","timestamp":"x"}\n{"cycle":5,"tar')
    done = log(foreign, 5, "harvested", "--sha", "HEAD", "--trace-json", "-")
    refused(done, "JSON")
    assert log(foreign, 5, "harvested", "--sha", "HEAD", "--trace-json", '{"bead_id":"b"}').code == 0
    lines = path.read_text().splitlines()
    assert lines[1] == '{"cycle":5,"tar' and json.loads(lines[2])["trace"] == {"bead_id": "b"}


def test_two_scripts_at_once_do_not_take_the_same_number(foreign: Repo) -> None:
    env = {**foreign.env, "PATH": f"{Path(AO).parent}:{foreign.env['PATH']}"}
    words = ["--cycle", "1", "--target", "idle", "--result", "unchanged"]
    both = [
        subprocess.Popen(["bash", "scripts/evolve-log-cycle.sh", *words], cwd=foreign.path, env=env, stdout=-3, stderr=-3)
        for _ in range(2)
    ]
    assert sorted(one.wait(60) for one in both) == [0, 1]
    assert len(ledger(foreign)) == 1


def test_telemetry_keeps_numbers_as_numbers(foreign: Repo) -> None:
    words = ("evolve", "cycle-complete", "cycle=7", "goal=a b", "ratio=0.5", "sha=0123", "schema_version=9", "empty=")
    assert call(foreign, "log-telemetry.sh", *words).code == 0
    row = json.loads((foreign.path / ".agents/ao/skill-telemetry.jsonl").read_text())
    assert list(row)[:4] == ["schema_version", "skill", "event", "timestamp"] and row["schema_version"] == 1
    assert (row["cycle"], row["goal"], row["ratio"], row["sha"], row["empty"]) == (7, "a b", 0.5, "0123", "")
    refused(call(foreign, "log-telemetry.sh", "evolve", "x", "novalue"), "novalue")


def test_wiring_names_what_is_missing_and_what_nothing_calls(foreign: Repo) -> None:
    assert call(foreign, "check-wiring-closure.sh").code == 0
    (foreign.path / "scripts/check-lonely.sh").write_text("# check-lonely.sh: usage\n")
    (foreign.path / "Makefile").write_text("# scripts/commented.sh\ntest:\n\tbash scripts/run-tests.sh\n")
    done = call(foreign, "check-wiring-closure.sh")
    assert done.code == 1
    assert done.out.splitlines() == [
        "Makefile names scripts/run-tests.sh, which is not there",
        "scripts/check-lonely.sh is called by nothing: no goal, no CI, no script",
    ]
    (foreign.path / "scripts/run-tests.sh").write_text("bash scripts/check-lonely.sh\n")
    assert call(foreign, "check-wiring-closure.sh").code == 0


def test_this_checkout_is_wired(repo: Repo) -> None:
    done = call(repo, "check-wiring-closure.sh", "--repo-root", str(SCRIPTS.parent), script=SCRIPTS / "check-wiring-closure.sh")
    assert done.code == 0, done


def test_a_goal_may_measure_through_the_script_and_is_not_measured_by_itself(foreign: Repo) -> None:
    check = "bash scripts/evolve-measure-fitness.sh --output ../inner.json && grep -q broken-for-good ../inner.json"
    (foreign.path / "GOALS.md").write_text(
        f"# G\n\n## Gates\n\n| ID | Check |\n|--|--|\n| outer | `{check}` |\n| broken-for-good | `false` |\n"
    )
    done = call(foreign, "evolve-measure-fitness.sh", "--output", "outer.json")
    assert done.code == 0, done
    results = {goal["id"]: goal["result"] for goal in json.loads((foreign.path / "outer.json").read_text())["goals"]}
    assert results == {"outer": "pass", "broken-for-good": "fail"}
    inner = {goal["id"]: goal["result"] for goal in json.loads((foreign.path.parent / "inner.json").read_text())["goals"]}
    assert inner == {"outer": "skip", "broken-for-good": "fail"}
