"""Configuration as a person meets it: in the start lines, in what a session does, and when it is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentops.core.processes import SandboxLevel
from agentops.host import sandbox
from tests.cli.conftest import GOALS, Ao, Repo


def test_a_gate_command_of_the_repository_s_file_judges_the_work(ao: Ao, repo: Repo) -> None:
    repo.commits("a gate", ao__toml='[gate]\ncommands = ["test ! -e kept.txt"]\n')
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    row = json.loads((repo.path / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()[0])
    assert (row["result"], row["reason"]) == ("regressed", "command:1"), done
    assert "settings from ao.toml:2 (gate.commands)" in done.out
    assert "gate     test ! -e kept.txt" in done.out


def test_a_program_that_the_repository_s_file_names_is_not_run_and_that_is_said(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    repo.commits("a program", ao__toml=f'[agent]\ncommand = "touch {ran}"\n', GOALS__md="# x\n\n## Gates\n\n"
        "| ID | Check | Weight | Description |\n|--|--|--|--|\n| a | `false` | 5 | needs an agent |\n")  # fmt: skip
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    assert "not acted on" in done.out and "ao.toml:2 (agent.command)" in done.out, done
    assert not ran.exists()
    done = ao("evolve", "--max-cycles=1", cwd=repo.path, env={"AO_AGENT_COMMAND": f"touch {ran}"})
    assert ran.exists(), "the same word from the person is acted on"


def test_a_broken_configuration_starts_nothing(ao: Ao, repo: Repo, home: Path) -> None:
    repo.commits("broken", ao__toml="[gate]\nrequire = maybe\n")
    for words in (("evolve",), ("evolve", "--dry-run"), ("evolve", "--detach")):
        ao(*words, cwd=repo.path).refused(2, "ao.toml:2:11")
    repo.commits("mended", ao__toml="")
    (home / ".config" / "ao").mkdir(parents=True)
    (home / ".config" / "ao" / "config.toml").write_text("[budget.sesion]\nminutes = 3\n")
    ao("evolve", cwd=repo.path).refused(2, "~/.config/ao/config.toml:1: budget.sesion", "did you mean session?")


def test_limits_of_the_environment_are_in_the_start_lines(ao: Ao, repo: Repo) -> None:
    done = ao("evolve", "--dry-run", cwd=repo.path, env={"AO_BUDGET_SESSION_MINUTES": "90", "AO_LANDING_PUSH": "end"})
    assert "1.5 h of working time" in done.out, done
    assert "AO_LANDING_PUSH: landing.push has no effect in this version" in done.out


def test_what_the_gate_cost_last_time_is_said_at_the_next_start(ao: Ao, repo: Repo) -> None:
    repo.commits("a gate", ao__toml='gate.commands = ["test -e kept.txt"]\n')
    assert "last time" not in ao("evolve", "--max-cycles=1", cwd=repo.path).out
    assert "test -e kept.txt (last time 0." in ao("evolve", "--dry-run", cwd=repo.path).out


@pytest.mark.parametrize(
    ("fix", "result"),
    [
        ("echo kept > kept.txt; printf '[gate]\\ncommands = []\\n' > ao.toml", "regressed"),
        pytest.param("echo kept > kept.txt; echo 'gate = 3' > ao.toml", "regressed", marks=pytest.mark.slow),
        pytest.param("echo kept > kept.txt; rm ao.toml", "regressed", marks=pytest.mark.slow),
        pytest.param("echo kept > kept.txt; echo '# why' >> ao.toml", "improved", marks=pytest.mark.slow),
    ],
)
def test_a_cycle_that_sets_itself_a_softer_gate_is_taken_back(ao: Ao, repo: Repo, fix: str, result: str) -> None:
    repo.commits(
        "a gate",
        ao__toml='gate.commands = ["true"]\n',
        GOALS__md=GOALS.replace("echo kept > kept.txt", fix),
    )
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    row = json.loads((repo.path / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()[0])
    assert row["result"] == result and (result == "improved" or row["reason"] == "tampered:ao.toml"), (row, done)
    if result == "regressed":
        assert (repo.path / "ao.toml").read_text() == 'gate.commands = ["true"]\n'


def test_what_is_masked_is_seen_by_no_work_and_what_needs_no_network_gets_none(ao: Ao, repo: Repo, home: Path) -> None:
    if not sandbox.works(SandboxLevel.BWRAP):
        pytest.skip("bubblewrap does not work here")
    (home / "secrets").mkdir()
    (home / "secrets" / "key").write_text("hunter2")
    repo.commits(
        "hidden",
        ao__toml='sandbox.masked = ["~/secrets"]\ngate = { network = false, commands = ["test $(wc -l </proc/net/dev) = 3"] }\n',
        GOALS__md=GOALS.replace("echo kept > kept.txt", "cat ~/secrets/* > seen.txt; echo kept > kept.txt"),
    )
    done = ao("evolve", "--max-cycles=1", cwd=repo.path)
    row = json.loads((repo.path / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()[0])
    assert row["result"] == "improved", done
    assert (repo.path / "seen.txt").read_text() == ""
    assert "hidden: ~/secrets, gate commands without network" in done.out


@pytest.mark.parametrize(
    ("setting", "code", "said"),
    [
        ('sandbox = { masked = ["~/secrets"] }', 7, "sandbox.masked cannot be kept"),
        ("gate.network = false", 7, "gate.network = false cannot be kept"),
        ('sandbox.masked = ["."]', 2, "would hide"),
        ('sandbox.masked = ["/"]', 2, "would hide"),
    ],
)
def test_what_cannot_be_kept_hidden_starts_nothing(ao: Ao, repo: Repo, setting: str, code: int, said: str) -> None:
    repo.commits("hidden", ao__toml=setting)
    ao("evolve", "--max-cycles=1", "--sandbox=off", cwd=repo.path).refused(code, said)
    assert not (repo.path / ".agents").exists()


def test_trust_lets_a_repository_s_program_run_until_it_changes(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    repo.commits("a program", ao__toml=f'[agent]\ncommand = "touch {ran}"\n', GOALS__md="# x\n\n## Gates\n\n"
        "| ID | Check | Weight | Description |\n|--|--|--|--|\n| a | `false` | 5 | needs an agent |\n")  # fmt: skip
    assert "not trusted" in ao("trust", "--show", cwd=repo.path).out
    done = ao("trust", cwd=repo.path)
    assert done.code == 0 and f"ao.toml:2  agent.command = ['touch', '{ran}']" in done.out and "from now on" in done.out
    assert "unchanged since" in ao("trust", cwd=repo.path).out
    ao("evolve", "--max-cycles=1", cwd=repo.path)
    assert ran.exists()
    repo.commits("another", ao__toml='[agent]\ncommand = "touch elsewhere"\n')
    assert "not acted on" in ao("evolve", "--dry-run", cwd=repo.path).out
    assert json.loads(ao("trust", "--show", "--json", cwd=repo.path).out)["trusted"] is False
    assert "taken back" in ao("trust", "--revoke", cwd=repo.path).out
    ao("trust", "--show", "--revoke", cwd=repo.path).refused(2, "exclude")
