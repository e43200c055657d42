"""The end of a session as a person and a program see it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import GOALS, Ao, Repo

HOPELESS = GOALS.replace("echo kept > kept.txt", "touch junk")


def _hook(tmp_path: Path, text: str) -> str:
    path = tmp_path / "on end.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"'{path}'"


def _kept(repo: Repo) -> dict[str, object]:
    (found,) = (repo.path / ".git/ao/reports").glob("*.json")
    kept: dict[str, object] = json.loads(found.read_text())
    return kept


def test_the_owners_command_gets_the_report_without_a_shell(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    hook = _hook(tmp_path, f'cat > "{tmp_path}/told"; echo "$1" > "{tmp_path}/word"')
    done = ao("evolve", "--max-cycles=1", "--json", "--on-end", f"{hook} '$HOME; ls'", cwd=repo.path)
    told = json.loads((tmp_path / "told").read_text())
    assert done.code == 0 and told == json.loads(done.out)
    assert (tmp_path / "word").read_text() == "$HOME; ls\n"
    assert told["counts"] == {"cycles": 1, "productive": 1, "regressed": 0, "idle": 0}
    assert [(each["cycle"], each["files"]) for each in told["commits"]] == [(1, 1), (1, 2)]  # ledger and baseline


@pytest.mark.parametrize(
    ("text", "word"),
    [("echo no network >&2; exit 3", "ended with 3: no network"), ("kill -9 $$", "")],
    ids=["fails", "dies"],
)
def test_a_command_that_fails_is_a_notice_and_no_exit_code(ao: Ao, repo: Repo, tmp_path: Path, text: str, word: str) -> None:
    done = ao("evolve", "--max-cycles=1", "--on-end", _hook(tmp_path, text), cwd=repo.path)
    assert done.code == 0 and f"note: --on-end: `on end.sh` {word}" in done.out, done
    notices = _kept(repo)["notices"]
    assert isinstance(notices, list) and any("--on-end" in one and word in one for one in notices), "the kept report knows it too"


def test_a_command_that_is_not_there_does_not_cost_the_report(ao: Ao, repo: Repo) -> None:
    done = ao("evolve", "--max-cycles=1", "--on-end", "no-such-thing --now", cwd=repo.path)
    assert done.code == 0 and "note: --on-end: `no-such-thing` is not on PATH" in done.out


def test_a_dry_run_ends_nothing_and_tells_nobody(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    done = ao("evolve", "--dry-run", "--on-end", _hook(tmp_path, f'touch "{tmp_path}/told"'), cwd=repo.path)
    assert done.code == 0 and not (tmp_path / "told").exists() and not (repo.path / ".git/ao/reports").exists()


def test_what_others_read_lies_where_they_look_and_is_not_in_git_status(ao: Ao, repo: Repo) -> None:
    ao("evolve", "--max-cycles=1", cwd=repo.path)
    text = (repo.path / ".agents/evolve/session-fitness-delta.md").read_text()
    assert "| kept | fail | pass | improved |" in text
    assert "## Cycle History" in (repo.path / ".agents/evolve/session-summary.md").read_text()
    assert "session-" not in repo.git("status", "--porcelain", "--untracked-files=all")


def test_a_folder_that_cannot_be_written_any_more_leaves_the_report_in_our_state(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    """What the files for others cannot take must not take the report along."""
    (repo.path / ".agents/evolve/session-summary.md").mkdir(parents=True)
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    assert done.code == 0 and "note: the session's files could not be written" in done.out, done
    assert _kept(repo)["stop_reason"] == "max-cycles"
    assert stat.S_IMODE((repo.path / ".git/ao/reports").stat().st_mode) == 0o700


def test_a_state_folder_that_takes_no_report_costs_neither_the_screen_nor_the_command(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    (repo.path / ".git/ao").mkdir()
    (repo.path / ".git/ao/reports").touch()
    done = ao("evolve", "--max-cycles=1", "--on-end", _hook(tmp_path, f'touch "{tmp_path}/told"'), cwd=repo.path)
    assert done.code == 0 and "note: the report could not be kept" in done.out and "Cycles: 1 | Productive: 1" in done.out
    assert (tmp_path / "told").exists()


def test_nobody_reads_the_screen_and_the_report_is_there(ao: Ao, repo: Repo, environment: dict[str, str]) -> None:
    import subprocess

    from tests.cli.conftest import AO

    command = f"{AO} evolve --max-cycles=1 >&- 2>&-"
    done = subprocess.run(["sh", "-c", command], cwd=repo.path, env=environment, check=False, timeout=100)
    assert done.returncode == 0 and _kept(repo)["stop_reason"] == "max-cycles"


def test_a_commit_that_the_work_itself_made_is_the_cycles_and_not_a_persons(ao: Ao, repo: Repo) -> None:
    hooked = GOALS.replace("echo kept > kept.txt", "echo kept > kept.txt; git -c user.name=Agent commit -qam made --allow-empty")
    repo.commits("an agent that commits", GOALS__md=hooked)
    done = ao("evolve", "--max-cycles=1", "--json", cwd=repo.path)
    commits = json.loads(done.out)["commits"]
    assert (commits[0]["cycle"], commits[0]["title"]) == (1, "made"), commits


def test_the_last_report_can_be_read_again_by_someone_who_was_asleep(ao: Ao, repo: Repo) -> None:
    ao("report", cwd=repo.path).refused(2, "no session has ended here yet")
    told = ao("evolve", "--max-cycles=1", cwd=repo.path).out
    again = ao("report", cwd=repo.path)
    assert again.code == 0 and again.out.splitlines()[3:] == told[told.index("\nSession ") :].splitlines()[4:]
    assert json.loads(ao("report", "--json", cwd=repo.path).out) == _kept(repo)
    page = Path(ao("report", "--html", cwd=repo.path).out.strip())
    assert page.read_text().startswith("<!doctype html>")
    (run,) = ao("report", "--list", cwd=repo.path).out.split()
    assert ao("report", run.rpartition(".")[0], cwd=repo.path).out == again.out
    ao("report", "20200101-0000-aaaa", cwd=repo.path).refused(2, "no report of", "ao report --list")


def test_a_target_without_success_is_left_as_an_item_for_a_person_once(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    agent = tmp_path / "agent.sh"
    agent.write_text("#!/bin/sh\ncat > /dev/null; echo no help >> junk\n")
    agent.chmod(0o755)
    repo.commits("no fix", GOALS__md=GOALS.replace("`echo kept > kept.txt`", ""))
    for _ in range(2):
        done = ao("evolve", "--max-cycles=4", "--agent-command", str(agent), cwd=repo.path)
        assert "Look at this first\n  ! kept: it rests: 3 tries without success" in done.out, done
    rows = [json.loads(line) for line in (repo.path / ".agents/rpi/next-work.jsonl").read_text().splitlines()]
    found = [item for row in rows for item in row["items"]]
    assert [(item["dedup_key"], item["requires"]) for item in found] == [("post-mortem|resting|kept", ["human-review"])]


def test_a_breaker_tells_the_owner_too(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    repo.commits("no fix", GOALS__md=GOALS.replace("`echo kept > kept.txt`", ""))
    agent = _hook(tmp_path, "cat > /dev/null")
    hook = tmp_path / "told.sh"
    hook.write_text(f'#!/bin/sh\ncat > "{tmp_path}/told"\n')
    hook.chmod(0o755)
    done = ao("evolve", "--agent-command", agent, "--on-end", str(hook), cwd=repo.path)
    assert done.code == 5, done
    told = json.loads((tmp_path / "told").read_text())
    assert (told["stop_reason"], told["exit_code"]) == ("circuit-breaker", 5)


def test_after_a_stop_the_command_has_a_second_and_no_more(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    """Told to stop it is down to its last process within two seconds; the owner's command is no exception."""
    stops = "mkdir -p .agents/evolve; touch .agents/evolve/STOP; tail -f /dev/null"
    repo.commits("a fix that stops us", GOALS__md=GOALS.replace("echo kept > kept.txt", stops))
    done = ao("evolve", "--on-end", _hook(tmp_path, "cat > /dev/null; sleep 50"), cwd=repo.path)
    assert done.code == 0 and "(kill-switch)" in done.out, done
    assert "took longer than 1 s and was ended" in done.out, done
