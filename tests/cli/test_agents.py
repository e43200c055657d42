"""Described agents as a person meets them: found, asked for one word, limited, not logged in, handing over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Ao, Repo
from tests.paths import PATH

GOALS = "# x\n\n## Gates\n\n| ID | Check | Weight | Description |\n|--|--|--|--|\n| a | `test -f a.txt` | 5 | needs an agent |\n"
FAKE = """#!/bin/sh
# Speaks Claude Code's dialect. $MOOD/NAME says what happens: a script that is sourced.
case "$*" in *--version*) echo "9.9.9 (fake)"; exit 0 ;; esac
cat > /dev/null
end() {
    used='"usage":{"input_tokens":5,"output_tokens":1},"total_cost_usd":0.5'
    echo '{"type":"result","subtype":"success","is_error":'$1',"result":"'"$2"'",'$used'}'
    exit ${3:-0}
}
echo '{"type":"system","subtype":"init"}'
. "$HOME/mood-$(basename "$0")"
end false "READY <promise>$([ "$AO_PHASE" = implementation ] && echo DONE || echo PASS)</promise>"
"""


@pytest.fixture
def agents(repo: Repo, home: Path) -> Path:
    """A folder with the fakes `claude` and `codex`; what they do lies in the home as `mood-NAME`."""
    folder = home / "bin"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).write_text(FAKE)
        (folder / name).chmod(0o755)
        (home / f"mood-{name}").write_text("")
    described = home / ".config" / "ao" / "agents"
    described.mkdir(parents=True)
    # The other fake speaks the same dialect under another name and account.
    (described / "other.toml").write_text('base = "claude"\nprogram = "codex"\naccount = "other"\n')
    repo.commits("goals", GOALS__md=GOALS)
    return folder


def rows(repo: Repo) -> list[dict[str, object]]:
    ledger = repo.path / ".agents" / "evolve" / "cycle-history.jsonl"
    return [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []


def test_the_first_that_is_installed_works_and_that_is_said(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    (home / "mood-claude").write_text('[ "$AO_PHASE" != implementation ] || echo done > a.txt\n')
    done = ao("evolve", "--max-cycles=1", cwd=repo.path, env={"PATH": f"{agents}:{PATH}"})
    assert done.code == 0, done
    assert "asking claude 9.9.9 for one word" in done.out and "claude answers" in done.out
    assert "agent    claude (the first that is installed)" in done.out
    (row,) = rows(repo)
    assert (row["result"], row["agent"], row["tokens_in"], row["usd"]) == ("improved", "claude", 15, 1.5), done


def test_not_logged_in_starts_nothing_and_names_the_login(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    (home / "mood-claude").write_text("end true 'Invalid API key · Please run /login' 1\n")
    done = ao("evolve", "--agent", "claude", "--max-cycles=1", cwd=repo.path, env={"PATH": f"{agents}:{PATH}"})
    done.refused(7, "claude is not logged in", "/login")
    assert rows(repo) == []


def test_one_that_answers_nothing_is_found_out_and_its_output_is_named(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    (home / "mood-claude").write_text("exit 0\n")
    done = ao("evolve", "--agent", "claude", cwd=repo.path, env={"PATH": f"{agents}:{PATH}"})
    done.refused(7, "claude was asked for one word and ended with `truncated`", "--no-preflight")


def test_who_is_limited_hands_over_and_the_row_names_both(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    limit = "end true 'You have hit your limit, resets in 3 hours' 1"
    (home / "mood-claude").write_text(f'[ "$AO_PHASE" != implementation ] || {{ echo half > half.txt; {limit}; }}\n')
    (home / "mood-codex").write_text('[ "$AO_PHASE" != implementation ] || { test ! -e half.txt && echo done > a.txt; }\n')
    done = ao("evolve", "--agent", "claude,other", "--max-cycles=1", cwd=repo.path, env={"PATH": f"{agents}:{PATH}"})
    assert "agent    claude, then other; validation by other" in done.out, done
    assert "claude is limited (You have hit your limit, resets in 3 hours); other starts the implementation anew" in done.out, (
        done
    )
    (row,) = rows(repo)
    assert (row["result"], row["agent"]) == ("improved", "claude,other"), done
    assert not (repo.path / "half.txt").exists()


def test_one_that_is_limited_before_the_session_is_no_reason_to_refuse(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    (home / "mood-claude").write_text("end true 'You have hit your limit, resets in 3 hours' 1\n")
    (home / "mood-codex").write_text('[ "$AO_PHASE" != implementation ] || echo done > a.txt\n')
    done = ao("evolve", "--agent", "claude,other", "--max-cycles=1", cwd=repo.path, env={"PATH": f"{agents}:{PATH}"})
    assert "claude is limited now and is asked again in 3 h" in done.out, done
    assert rows(repo)[0]["agent"] == "other", done


@pytest.mark.parametrize(
    ("names", "code", "words"),
    [
        ("cluade", 7, ("there is no agent `cluade`", "did you mean claude")),
        ("gemini", 7, ("the agent gemini is not installed", "`gemini` is not on PATH")),
        ("claude,goose", 7, ("the agent goose is not installed",)),
        (",", 2, ("--agent names nobody",)),
    ],
)
def test_who_is_not_there_is_said(ao: Ao, repo: Repo, agents: Path, names: str, code: int, words: tuple[str, ...]) -> None:
    ao("evolve", "--agent", names, cwd=repo.path, env={"PATH": f"{agents}:{PATH}"}).refused(code, *words)


def test_a_broken_description_starts_nothing(ao: Ao, repo: Repo, home: Path, agents: Path) -> None:
    (home / ".config" / "ao" / "agents" / "mine.toml").write_text("program = 'x'\n[output]\nformat = 'xml'\n")
    ao("evolve", "--agent", "mine", cwd=repo.path).refused(2, "mine.toml", "$.output.format")
