"""`ao goals …` as a person types it, and the baseline of an era that `ao evolve` keeps."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.cli.conftest import Ao, Repo

EVOLVE = ("evolve", "--max-cycles=1", "--sandbox=off")
YAML = "version: 1\n# mine\ngoals:\n- {id: a, description: d, check: 'true', weight: 5}\n"


def baselines(repo: Repo) -> list[Path]:
    return sorted((repo.path / ".agents/evolve/fitness-baselines").glob("*/*.json"))


def test_evolve_002_a_night_keeps_one_baseline_an_era(ao: Ao, repo: Repo) -> None:
    assert ao(*EVOLVE, "--dry-run", cwd=repo.path).code == 0
    assert baselines(repo) == []
    first = ao(*EVOLVE, cwd=repo.path)
    assert first.code == 0, first
    assert "baseline of this goals file: 1 of 2 goals pass" in first.out
    (kept,) = baselines(repo)
    era = hashlib.sha256((repo.path / "GOALS.md").read_bytes()).hexdigest()[:12]
    assert kept.parent.name == f"goals-{era}"
    assert [goal["result"] for goal in json.loads(kept.read_text())["goals"]] == ["fail", "pass"]
    row = json.loads((repo.path / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()[0])
    assert (row["target"], row["result"]) == ("kept", "improved")
    touching = repo.git("log", "--format=%s", "--", ".agents/evolve/fitness-baselines").splitlines()
    assert touching == ["evolve: cycle 1 -- kept improved"], "it goes with the ledger and is no work of the cycle"
    assert "fitness-baselines" not in ao("diff", "1", cwd=repo.path).out

    ao(*EVOLVE, cwd=repo.path)
    assert baselines(repo) == [kept]
    drift = ao("goals", "drift", "--against", "era", "--json", cwd=repo.path)
    assert [(one["goal_id"], one["delta"]) for one in json.loads(drift.out)] == [("kept", "improved"), ("passes", "unchanged")]


def test_a_baseline_that_nobody_wants_is_not_kept(ao: Ao, repo: Repo) -> None:
    assert ao(*EVOLVE, "--skip-baseline", cwd=repo.path).code == 0
    assert baselines(repo) == []


def test_options_may_stand_before_the_command_and_names_may_be_short(ao: Ao, repo: Repo) -> None:
    (repo.path / "sub.yaml").write_text(YAML)
    found = json.loads(ao("goals", "--file", "sub.yaml", "--json", "v", cwd=repo.path).out)
    assert (found["format"], found["goal_count"], found["version"]) == ("yaml", 1, 1)


def test_strict_tells_by_the_exit_code(ao: Ao, repo: Repo) -> None:
    (repo.path / "bad.md").write_text("# G\n\nm\n\n## Gates\n\n| ID | Check |\n|--|--|\n| Bad Id | `true` |\n")
    assert ao("goals", "validate", "--file", "bad.md", cwd=repo.path).code == 0
    assert ao("goals", "validate", "--file", "bad.md", "--strict", cwd=repo.path).code == 3
    (repo.path / "bad.md").write_bytes(b"\0")
    gone = ao("goals", "validate", "--file", "bad.md", "--json", cwd=repo.path)
    assert (gone.code, json.loads(gone.out)["valid"]) == (2, False)


def test_a_goal_that_fails_now_is_added_only_by_force(ao: Ao, repo: Repo) -> None:
    before = (repo.path / "GOALS.md").read_bytes()
    ao("goals", "add", "bad", "echo because; false", cwd=repo.path).refused(2, "does not pass now: because", "--force")
    ao("goals", "add", "Bad Id", "true", cwd=repo.path).refused(2, "kebab-case")
    ao("goals", "add", "kept", "true", cwd=repo.path).refused(2, "there already, on line 7")
    assert (repo.path / "GOALS.md").read_bytes() == before
    (repo.path / "GOALS.md").chmod(0o640)
    assert ao("goals", "add", "bad", "false | cat", "--force", "--weight", "3", cwd=repo.path).code == 0
    assert (repo.path / "GOALS.md").read_bytes() == before + b"| bad | `false \\| cat` | 3 | bad |  |\n"
    assert (repo.path / "GOALS.md").stat().st_mode & 0o777 == 0o640


def test_directives_are_steered(ao: Ao, repo: Repo) -> None:
    for title in ("One", "Two"):
        assert ao("goals", "steer", "add", title, "--description", "more of it", cwd=repo.path).code == 0
    assert ao("goals", "steer", "prioritize", "2", "1", "--json", cwd=repo.path).code == 0
    listed = json.loads(ao("goals", "measure", "--directives", cwd=repo.path).out)
    assert [(one["number"], one["title"], one["steer"]) for one in listed] == [(1, "Two", "increase"), (2, "One", "increase")]
    ao("goals", "steer", "remove", "7", cwd=repo.path).refused(2, "there is no directive 7")
    ao("goals", "steer", "prioritize", "1", "3", cwd=repo.path).refused(2, "the new place is 1 to 2")
    (repo.path / "one.yaml").write_text(YAML)
    ao("goals", "steer", "remove", "1", "--file", "one.yaml", cwd=repo.path).refused(2, "ao goals migrate --to-md")


def test_a_first_goals_file_is_written_once_and_is_valid(ao: Ao, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n")
    assert "would write" in ao("goals", "init", "--dry-run", cwd=tmp_path).out
    assert not (tmp_path / "GOALS.md").exists()
    assert ao("goals", "init", cwd=tmp_path).code == 0
    assert ao("goals", "validate", "--strict", cwd=tmp_path).code == 0
    assert "`make test`" in (tmp_path / "GOALS.md").read_text()
    ao("goals", "init", cwd=tmp_path).refused(2, "is there already")


def test_an_old_yaml_is_migrated_and_its_bytes_are_kept(ao: Ao, tmp_path: Path) -> None:
    (tmp_path / "GOALS.yaml").write_text(YAML)
    assert ao("goals", "migrate", cwd=tmp_path).code == 0
    assert (tmp_path / "GOALS.yaml").read_text() == YAML.replace("version: 1", "version: 2")
    assert (tmp_path / "GOALS.yaml.v1.bak").read_text() == YAML
    assert "nothing to migrate" in ao("goals", "migrate", cwd=tmp_path).out
    assert ao("goals", "migrate", "--to-md", cwd=tmp_path).code == 0
    assert "nothing to migrate" in ao("goals", "migrate", "--to-md", cwd=tmp_path).out
    ao("goals", "migrate", "--to-md", "--file", "GOALS.yaml", cwd=tmp_path).refused(2, "is there already")
