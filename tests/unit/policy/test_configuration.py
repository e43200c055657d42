"""Which layer wins, and what a repository's files may not say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from agentops.core.errors import UsageError
from agentops.policy.choosing import choose
from agentops.policy.configuration import merge, words
from agentops.policy.origins import WITH_THE_REPOSITORY, Given, Layer, Origin
from agentops.policy.reading import read
from agentops.policy.settings import SandboxMode, Settings
from agentops.policy.tables import NEEDS_TRUST, Tables, names
from agentops.policy.toml_layer import BadConfiguration

_VALUES: dict[str, list[Any]] = {
    "gate.require": [True, False],
    "gate.commands": [(), ("a",), ("b", "c")],
    "budget.session.minutes": [1.0, 2.0],
    "hooks.on_end": [("x",), ("y", "z")],
    "agents.mine": [{"command": "x"}, {}],
    "place.setup": [("npm ci",)],
    "schedule": [({"at": "1"},)],
}


@st.composite
def _layer(draw: st.DrawFn, level: Layer) -> dict[str, Given]:
    keys = draw(st.sets(st.sampled_from(sorted(_VALUES))))
    return {key: Given(draw(st.sampled_from(_VALUES[key])), Origin(level, f"{level.name}:1")) for key in keys}


_LAYERS = st.tuples(*(_layer(level) for level in Layer))


def _value(tables: Tables, key: str) -> object:
    found: Any = tables
    for part in key.split("."):
        found = found[part] if not hasattr(found, part) and part in found else getattr(found, part, None)
    return found


@examples(max_examples=40)
@given(_LAYERS, st.booleans(), st.randoms())
def test_the_highest_layer_that_may_say_it_wins(layers: tuple[dict[str, Given], ...], trusted: bool, random: Any) -> None:
    shuffled = list(layers)
    random.shuffle(shuffled)
    found = merge(shuffled, trusted=trusted)
    for key in _VALUES:
        said = [layer[key] for layer in layers if key in layer]
        counted = [one for one in said if trusted or one.origin.layer not in WITH_THE_REPOSITORY or not names(key, NEEDS_TRUST)]
        if counted:
            assert _value(found.tables, key) == counted[-1].value
            assert found.origins[key] == counted[-1].origin
        else:
            assert not found.says(key)
        assert (key in found.withheld) == (len(counted) < len(said))


@examples(max_examples=40)
@given(_LAYERS)
def test_a_repository_s_files_never_name_a_program_that_runs(layers: tuple[dict[str, Given], ...]) -> None:
    found = merge(layers)
    for key, origin in found.origins.items():
        assert not (origin.layer in WITH_THE_REPOSITORY and names(key, NEEDS_TRUST))


@examples(max_examples=40)
@given(_LAYERS)
def test_every_value_that_was_said_is_told_or_withheld_aloud(layers: tuple[dict[str, Given], ...]) -> None:
    found = merge(layers)
    said = "\n".join(words(found))
    assert all(f"{key}" in said for key in (*found.origins, *found.withheld))


def test_nothing_said_is_the_defaults_and_silence() -> None:
    found = merge([])
    assert found.tables == Tables() and words(found) == ()
    assert choose({}, found) == Settings()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "top").mkdir()
    return tmp_path / "top"


def test_the_order_of_all_sources(top: Path, env: dict[str, str]) -> None:
    home = Path(env["HOME"])

    def settings(**flags: str) -> Settings:
        return choose(flags, read(str(top), env))

    _write(home / ".agents/ao/config.yaml", "rpi: {runtime_command: opencode}")
    assert settings().agent == "opencode"
    _write(home / ".config/ao/config.toml", 'agent.use = "claude"\nsandbox.level = "off"')
    assert (settings().agent, settings().sandbox) == ("claude", SandboxMode.OFF)
    _write(top / ".agentops/config.yaml", "rpi: {runtime_command: codex}")
    assert settings().agent == "codex"
    _write(top / "pyproject.toml", '[tool.agentops.agent]\nuse = "qwen"')
    assert settings().agent == "qwen"
    _write(top / "ao.toml", '[agent]\nuse = "gemini"')
    assert settings().agent == "gemini"
    assert any("[tool.agentops] is not read" in line for line in settings().notices)
    env["AGENTOPS_RPI_RUNTIME_COMMAND"] = "claude"
    assert settings().agent == "claude"
    env["AO_AGENT_USE"] = "mine"
    assert settings().agent == "mine"
    assert settings(agent="other").agent == "other"
    assert settings(sandbox="strict").sandbox is SandboxMode.STRICT


def test_the_original_s_newer_place_is_read_before_its_older_one(top: Path, env: dict[str, str]) -> None:
    _write(top / ".agentops/config.yaml", "rpi: {runtime_command: codex}")
    _write(top / ".agents/ao/config.yaml", "rpi: {runtime_command: claude}")
    assert read(str(top), env).tables.agent.use == ("claude",)


def test_a_file_that_AGENTOPS_CONFIG_names_stands_for_all_files_of_the_original(top: Path, env: dict[str, str]) -> None:  # noqa: N802
    _write(top / ".agentops/config.yaml", "rpi: {worktree_mode: never}")
    _write(top / "named.yaml", "rpi: {runtime_command: claude}")
    found = read(str(top), env | {"AGENTOPS_CONFIG": str(top / "named.yaml")})
    assert found.tables.agent.use == ("claude",) and not found.says("place.isolation")
    with pytest.raises(BadConfiguration):
        read(str(top), env | {"AGENTOPS_CONFIG": str(top / "gone.yaml")})


def test_a_user_s_file_is_looked_for_where_XDG_says(top: Path, env: dict[str, str], tmp_path: Path) -> None:  # noqa: N802
    _write(tmp_path / "xdg/ao/config.toml", "[rates]\nclaude = 3.0\n[daemon]\nport = 1")
    found = read(str(top), env | {"XDG_CONFIG_HOME": str(tmp_path / "xdg")})
    assert found.tables.rates == {"claude": 3.0} and found.tables.daemon == {"port": 1}


def test_a_pyproject_that_is_none_of_our_business_may_be_broken(top: Path, env: dict[str, str]) -> None:
    _write(top / "pyproject.toml", '[project]\ndependencies = ["agentops"\n')
    assert read(str(top), env).origins == {}


@pytest.mark.parametrize("kind", ["folder", "latin", "pipe"])
def test_a_file_that_is_no_text_is_refused_and_not_waited_for(top: Path, env: dict[str, str], kind: str) -> None:
    import os

    path = top / "ao.toml"
    if kind == "folder":
        path.mkdir()
    elif kind == "latin":
        path.write_bytes(b"# ok\n# gr\xfc\xdfe\n")
    else:
        os.mkfifo(path)
    with pytest.raises(BadConfiguration, match=r"ao.toml:2:5: this is no UTF-8" if kind == "latin" else "this is no file"):
        read(str(top), env)


def test_a_program_in_the_person_s_own_file_is_the_agent_and_one_in_the_repository_s_is_not(
    top: Path, env: dict[str, str]
) -> None:
    _write(top / "ao.toml", 'agent.command = "evil --now"')
    settings = choose({}, read(str(top), env))
    assert settings.agent is None and settings.agent_command == ()
    assert any("not acted on" in line and "ao.toml:1" in line for line in settings.notices)
    _write(Path(env["HOME"]) / ".config/ao/config.toml", 'agent.command = "mine --x"')
    settings = choose({}, read(str(top), env))
    assert (settings.agent, settings.agent_command) == ("command", ("mine", "--x"))


def test_a_name_above_a_program_wins_over_it(top: Path, env: dict[str, str]) -> None:
    _write(Path(env["HOME"]) / ".config/ao/config.toml", 'agent.command = "mine --x"')
    _write(top / "ao.toml", 'agent.use = "codex"')
    assert choose({}, read(str(top), env)).agent == "codex"
    assert choose({"agent": "command"}, read(str(top), env)).agent_command == ("mine", "--x")


def test_the_agent_command_without_a_program_says_who_asked_for_it(top: Path, env: dict[str, str]) -> None:
    _write(top / "ao.toml", '[agent]\nuse = "command"\ncommand = "evil"')
    with pytest.raises(UsageError, match=r"ao.toml:2: agent.use = 'command' has no program \(that of ao.toml:3 is not"):
        choose({}, read(str(top), env))


def test_minutes_are_hours_and_a_flag_is_above_them(top: Path, env: dict[str, str]) -> None:
    _write(top / "ao.toml", "budget.session.minutes = 90\ngate.require = true\ngate.commands = []")
    found = read(str(top), env)
    assert choose({}, found).hours == 1.5
    assert choose({"hours": 3.0}, found).hours == 3.0
    assert choose({}, found).require_gate and choose({}, found).gate_commands == ()


def test_a_clone_neither_loosens_the_sandbox_nor_shows_what_the_person_hides(top: Path, env: dict[str, str]) -> None:
    """Its own checks would run in it, and those need no word beside `ao evolve`."""
    own = Path(env["HOME"]) / ".config" / "ao" / "config.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('[sandbox]\nlevel = "strict"\nmasked = ["~/.ssh"]\n[gate]\nnetwork = false\n')
    (top / "ao.toml").write_text('[sandbox]\nlevel = "off"\nmasked = [".env"]\n[gate]\nnetwork = true\n')
    found = read(str(top), env)
    assert (found.tables.sandbox.level, found.tables.gate.network) == (SandboxMode.STRICT, False)
    assert found.tables.sandbox.masked == (".env", "~/.ssh")
    assert set(found.withheld) == {"sandbox.level", "gate.network"} == set(found.asks)
    allowed = read(str(top), env, trusted=True).tables
    assert (allowed.sandbox.level, allowed.gate.network, allowed.sandbox.masked) == (SandboxMode.OFF, True, (".env",))


def test_a_clone_may_hold_its_checks_more_strictly(top: Path, env: dict[str, str]) -> None:
    (top / "ao.toml").write_text('[sandbox]\nlevel = "strict"\n[gate]\nnetwork = false\n')
    found = read(str(top), env)
    assert (found.tables.sandbox.level, found.tables.gate.network, found.withheld) == (SandboxMode.STRICT, False, {})
