"""Descriptions of agents: where they come from, how they lie over each other, and how a wrong one is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentops.agents.adapter import BadAdapter, adapter_of, read_toml
from agentops.agents.catalog import Catalog, NoSuchAgent, user_folder
from agentops.agents.environment import allowed
from agentops.core.processes import Ended

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "agents.md").read_text("utf-8")


def test_the_page_lists_every_agent_and_what_it_says_of_them_is_so() -> None:
    rows = {
        row[0].strip("` "): [cell.strip() for cell in row]
        for row in re.findall(r"^\| (`[a-z-]+`) \| (`.*) \|$", PAGE, re.MULTILINE)
    }
    rows = {name: row[1].split(" | ") for name, row in rows.items() if name in Catalog().names()}
    assert set(rows) == set(Catalog().names())
    for name, (program, prompt, tells, tokens, money, _) in rows.items():
        adapter = Catalog().get(name)
        assert (program, prompt) == (f"`{adapter.programs[0]}`", str(adapter.prompt)), name
        assert tells.startswith("yes") is adapter.streams, name
        knows_tokens = any(rule.tokens_in for rule in adapter.events) or "tokens_in" in adapter.output.usage_line
        knows_money = any(rule.usd for rule in adapter.events) or "usd" in adapter.output.usage_line
        assert (tokens != "no", money != "no") == (knows_tokens, knows_money), name


def test_the_page_s_example_is_one_that_loads() -> None:
    example = PAGE.split("## Describing one")[1].split("```toml\n")[1].split("```")[0]
    adapter = adapter_of("mine", read_toml(example.encode(), "page"), "page")
    assert adapter.exits == {"41": Ended.AUTH} and len(adapter.events) == 5


def test_every_agent_says_how_to_log_in_and_where_its_home_is() -> None:
    for name in Catalog().names():
        adapter = Catalog().get(name)
        assert adapter.login and adapter.homes and adapter.environment.pass_, name


def test_the_owner_s_file_and_table_lie_over_ours(tmp_path: Path) -> None:
    (tmp_path / "claude.toml").write_text('model = "opus"\n[[messages]]\nmatch = "tea time"\nkind = "limit"\n')
    (tmp_path / "mine.toml").write_text('base = "claude"\nargs = ["--effort", "low"]\n')
    catalog = Catalog(str(tmp_path), {"mine": ({"model": "haiku"}, "config.toml:3")})
    claude, mine = catalog.get("claude"), catalog.get("mine")
    assert (claude.model, claude.messages[0].match) == ("opus", "tea time") and len(claude.events) > 5
    assert (mine.model, mine.args, mine.account, mine.name) == ("haiku", ["--effort", "low"], "claude", "mine")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("program = 3", "$.program"),
        ("progam = 'x'", "progam"),
        ("program = 'x'\n[[events]]\nwhen = {type = 'a'}\nsays = 'a..b'", "$.events[0]"),
        ("program = 'x'\n[[messages]]\nmatch = '('\nkind = 'limit'", "$.messages[0]"),
        ("program = 'x'\n[[messages]]\nmatch = 'a'\nkind = 'tired'", "tired"),
        ("program = 'x'\nprompt = 'argument'", "{prompt}"),
        ("program = 'x'\nmodel = 'm'", "model_args"),
        ("program = ''", "program"),
        ("program = 'x'\nbase = 'nobody'", "nobody"),
        ("program = 'x'\nbase = 'a'", "leads back"),
        ("program = x\n", "line 1"),
        ("program = 'x'\n[output]\nformat = 'xml'", "$.output.format"),
    ],
)
def test_a_wrong_description_is_refused_with_file_and_path(tmp_path: Path, words: str, said: str) -> None:
    (tmp_path / "b.toml").write_text(words)
    (tmp_path / "a.toml").write_text("base = 'b'")
    with pytest.raises(BadAdapter) as refused:
        Catalog(str(tmp_path)).get("b")
    assert said in str(refused.value) and ("b.toml" in str(refused.value) or "leads back" in said), refused.value


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"program = '\xff'")
    with pytest.raises(BadAdapter, match="UTF-8"):
        Catalog(str(tmp_path)).get("b")


def test_a_name_that_nobody_knows_is_answered_with_the_nearest() -> None:
    with pytest.raises(NoSuchAgent, match="did you mean claude"):
        Catalog().get("cluade")


def test_keys_of_other_services_stay_out() -> None:
    shell = {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "ANTHROPIC_API_KEY": "a", "AWS_SECRET_ACCESS_KEY": "b",
             "DATABASE_URL": "c",
             "npm_config__authToken": "d", "npm_config_cache": "/c", "AO_PHASE": "p", "GITHUB_TOKEN": "e"}  # fmt: skip
    claude = Catalog().get("claude").environment
    kept, withheld = allowed(shell, claude.set, claude.pass_, claude.pass_when)
    assert {"PATH", "HOME", "LC_ALL", "ANTHROPIC_API_KEY", "npm_config_cache", "AO_PHASE", "DISABLE_AUTOUPDATER"} <= set(kept)
    assert withheld == ("AWS_SECRET_ACCESS_KEY", "DATABASE_URL", "GITHUB_TOKEN", "npm_config__authToken")
    kept, _ = allowed({**shell, "CLAUDE_CODE_USE_BEDROCK": "1"}, claude.set, claude.pass_, claude.pass_when)
    assert "AWS_SECRET_ACCESS_KEY" in kept
    kept, _ = allowed({**shell, "CLAUDE_CODE_USE_BEDROCK": "0"}, claude.set, claude.pass_, claude.pass_when)
    assert "AWS_SECRET_ACCESS_KEY" not in kept


def test_who_the_person_is_passes_and_what_says_secret_does_not() -> None:
    """`AUTH` in `GIT_AUTHOR_NAME` was taken for a secret, and the agent's commits had no author."""
    person = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")}
    kept, withheld = allowed({**person, "npm_config_authToken": "s", "UV_AUTH": "s", "UV_APIKEY": "s"}, {})
    assert person.items() <= kept.items() and withheld == ("UV_APIKEY", "UV_AUTH", "npm_config_authToken")


def test_a_relative_home_of_settings_never_leads_into_the_repository() -> None:
    assert user_folder({"XDG_CONFIG_HOME": "conf", "HOME": "/home/p"}) == "/home/p/.config/ao/agents"
    assert user_folder({"XDG_CONFIG_HOME": "conf"}) == ""


@pytest.mark.parametrize("name", ["../../x", "a/b", "", "a\nb", "x" * 65, "-x"])
def test_a_name_that_would_lead_out_of_our_folders_is_refused(name: str) -> None:
    with pytest.raises(BadAdapter, match="is no name for an agent"):
        Catalog(tables={name: ({"program": "x"}, "ao.toml:1")}).get(name)


@pytest.mark.parametrize(
    "text",
    [
        'program = "x"\nmessages = 5',
        'program = "x"\n[output]\nerror_line = "a{99999999999999999999}"',
        'program = "x"\n[output]\nerror_line = "' + "(" * 5000 + ")" * 5000 + '"',
        "a = " + "9" * 5000,
        "a = " + "[" * 5000,
    ],
)
def test_no_description_is_a_traceback(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(text + "\n")
    with pytest.raises(BadAdapter, match=r"m\.toml"):
        Catalog(str(tmp_path)).get("m")
