"""Trust: of a folder and a content, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentops.policy.reading import read
from agentops.policy.trust import NoStateFolder, digest, remember, revoke, trust_file, trusts

ASKS = {"agent.command": ("my-agent", "--flag"), "agents.x": {"program": "x", "argv": ["-p"]}}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def test_it_holds_for_this_content_in_this_folder_until_it_is_taken_back(tmp_path: Path, env: dict[str, str]) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    assert not trusts(one, ASKS, env) and not revoke(one, env)
    remember(one, ASKS, env)
    assert trusts(one, dict(reversed(ASKS.items())), env)
    assert not trusts(other, ASKS, env)
    assert not trusts(one, {**ASKS, "agents.x": {"program": "x", "argv": ["-q"]}}, env)
    assert Path(trust_file(env)).stat().st_mode & 0o777 == 0o600
    assert revoke(one, env) and not trusts(one, ASKS, env)


@pytest.mark.parametrize("broken", ["", "[1]", "{", '{"/x": 3}', "\x00"])
def test_a_broken_file_trusts_nobody_and_is_replaced(tmp_path: Path, env: dict[str, str], broken: str) -> None:
    path = Path(trust_file(env))
    path.parent.mkdir(parents=True)
    path.write_text(broken)
    assert not trusts("/x", ASKS, env)
    remember("/x", ASKS, env)
    assert trusts("/x", ASKS, env)


def test_nothing_is_never_trusted_and_without_a_home_nothing_is_remembered(env: dict[str, str]) -> None:
    assert digest({}) != digest(ASKS) and not trusts("/x", {}, env)
    with pytest.raises(NoStateFolder):
        remember("/x", ASKS, {})


def test_what_a_repository_names_counts_after_the_word_and_no_longer_after_a_change(tmp_path: Path, env: dict[str, str]) -> None:
    file = tmp_path / "ao.toml"
    file.write_text('[agent]\ncommand = "theirs --flag"\n')
    found = read(str(tmp_path), env)
    assert found.tables.agent.command == () and set(found.withheld) == {"agent.command"}
    remember(str(tmp_path), {key: given.value for key, given in found.asks.items()}, env)
    assert read(str(tmp_path), env).tables.agent.command == ("theirs", "--flag")
    file.write_text('[agent]\ncommand = "theirs --other"\n')
    assert read(str(tmp_path), env).tables.agent.command == ()


def test_a_folder_whose_name_is_no_text_can_be_trusted(tmp_path: Path, env: dict[str, str]) -> None:
    top = str(tmp_path / "caf\udce9")
    remember(top, ASKS, env)
    assert trusts(top, ASKS, env) and revoke(top, env) and not trusts(top, ASKS, env)
