"""What a file or a variable says, and how wrong ones are named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.policy import toml_layer, upstream, variables
from agentops.policy.keys import keys
from agentops.policy.origins import Layer
from agentops.policy.settings import Isolation
from agentops.policy.tables import NEEDS_TRUST, NO_EFFECT, names
from agentops.policy.toml_layer import BadConfiguration


def _toml(text: str, level: Layer = Layer.REPOSITORY) -> dict[str, object]:
    return {key: given.value for key, given in toml_layer.layer(text, "ao.toml", level).items()}


def _wrong(text: str, level: Layer = Layer.REPOSITORY) -> str:
    with pytest.raises(BadConfiguration) as refused:
        toml_layer.layer(text, "ao.toml", level)
    assert refused.value.exit_code == 2
    return str(refused.value)


def test_values_have_their_types_and_their_lines() -> None:
    found = toml_layer.layer('[place]\nisolation = "in-place"\n[budget.session]\nminutes = 30\n', "ao.toml", Layer.REPOSITORY)
    assert found["place.isolation"].value is Isolation.IN_PLACE
    assert found["place.isolation"].origin.where == "ao.toml:2"
    assert found["budget.session.minutes"].value == 30.0


def test_one_text_is_a_list_of_one_and_names_may_stand_in_one_text() -> None:
    assert _toml('gate.commands = "make a, b"') == {"gate.commands": ("make a, b",)}
    assert _toml('agent.use = "claude, codex"') == {"agent.use": ("claude", "codex")}
    assert _toml("agent.command = \"my-agent --x 'a b'\"") == {"agent.command": ("my-agent", "--x", "a b")}


def test_an_empty_list_of_gate_commands_is_a_choice() -> None:
    assert _toml("gate.commands = []") == {"gate.commands": ()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gate]\ncomands = []", "ao.toml:2: gate.comands: there is no such key in [gate] (did you mean commands?)"),
        ("\n[gaet]\nx = 1", "ao.toml:2: gaet: there is no such table at the top (did you mean gate?)"),
        ("[gate]\nrequire = 'yes'", "ao.toml:2: gate.require: 'yes' is not true or false"),
        ("[budget.day]\nusd = -3", "ao.toml:2: budget.day.usd: -3 is not a number above 0"),
        ("[budget.day]\nminutes = inf", "minutes: inf is not a number above 0"),
        ("[budget.day]\nminutes = nan", "minutes: nan is not a number above 0"),
        ("[budget.day]\ntokens = 1.5", "tokens: 1.5 is not a whole number above 0"),
        ("budget = 3", "ao.toml:1: budget: must be a table"),
        ("[place]\nisolation = 'moon'", "ao.toml:2: place.isolation: 'moon' is not one of auto, in-place"),
        ("[landing]\npush = 'every-0'", "push: 'every-0' is not never, end or every-N"),
        ("schedule = 3", "schedule: 3 is not a list of tables: [[schedule]]"),
        ("agents = 3", "agents: must be a table"),
        ("agents.mine = 3", "agents.mine: must be a table: [agents.NAME]"),
        ("[daemon]\nx = 1", "daemon: belongs in your own file"),
        ("queue.file = ''", "file: '' is not a text that is not empty"),
        ('agent.command = "it\'s"', "cannot be split into words"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, said: str) -> None:
    assert said in _wrong(text)


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    told = _wrong("[gate]\na = 1\nb = 2\nrequire = 3\n").splitlines()
    assert [line.strip().split(": ")[0] for line in told] == ["ao.toml:2", "ao.toml:3", "ao.toml:4"]


@pytest.mark.parametrize(
    ("text", "at"), [("x = = 3", "1:5"), ("a = 1\nb = [1,\n", "3:1"), ("a = 1\na = 2\n", "2:6"), ('a = "\n', "1:6")]
)
def test_a_broken_file_is_refused_with_line_and_column(text: str, at: str) -> None:
    assert _wrong(text).startswith(f"ao.toml:{at}: this is no TOML: ")


def test_our_part_of_a_shared_file_keeps_its_lines() -> None:
    text = '[project]\nname = "x"\n[tool.agentops]\ngate.require = 1\n'
    with pytest.raises(BadConfiguration, match=r"pyproject.toml:4: gate.require"):
        toml_layer.layer(text, "pyproject.toml", Layer.REPOSITORY, ("tool", "agentops"))


def test_a_byte_order_mark_and_windows_line_ends_are_no_obstacle() -> None:
    assert _toml("\ufeff[gate]\r\nrequire = true\r\n") == {"gate.require": True}


@given(st.text(max_size=60))
def test_no_text_is_a_traceback(text: str) -> None:
    try:
        toml_layer.layer(text, "ao.toml", Layer.USER)
    except BadConfiguration as refused:
        assert str(refused).startswith("ao.toml:")


def test_every_key_but_the_lists_of_tables_has_a_variable_of_its_own() -> None:
    made = [variables.variable(key) for key in keys()]
    assert len(set(made)) == len(made)


def test_variables_are_read_by_the_type_of_their_key() -> None:
    found = variables.layer(
        {
            "AO_GATE_REQUIRE": "1",
            "AO_GATE_COMMANDS": "make -k test",
            "AO_GATE_FAST": '["a", "b c"]',
            "AO_BUDGET_SESSION_MINUTES": "90.5",
            "AO_AGENT_USE": "claude,codex",
            "AO_SANDBOX_MASKED": "/a:/b",
            "AO_HOOKS_ON_END": "null",
            "AO_QUEUE_REPO": "",
            "AO_RUN_ID": "s.1",
            "AO_PHASE": "discovery",
            "AO_FAULT": "x:1:kill",
        }
    )
    assert {key: given.value for key, given in found.items()} == {
        "gate.require": True,
        "gate.commands": ("make -k test",),
        "gate.fast": ("a", "b c"),
        "budget.session.minutes": 90.5,
        "agent.use": ("claude", "codex"),
        "sandbox.masked": ("/a", "/b"),
        "hooks.on_end": ("null",),
    }
    assert found["gate.require"].origin.where == "AO_GATE_REQUIRE"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("AO_GATE_REQUIR", "1", "did you mean AO_GATE_REQUIRE?"),
        ("AO_BUDGET_SESSION_USD", "lots", "'lots' is not a number above 0"),
        ("AO_GATE_COMMANDS", "[1", "begins like a list"),
        ("AO_GATE_COMMANDS", "[1]", "is not a text, or a list of texts"),
        ("AO_AGENTS_MINE", "x", "there is no such setting"),
    ],
)
def test_a_variable_that_means_nothing_is_an_error(name: str, value: str, said: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        variables.layer({name: value})
    assert said in str(refused.value) and str(refused.value).startswith(name)


def test_what_the_original_s_file_says_about_the_loop_is_taken_over() -> None:
    text = "output: json\nrpi:\n  worktree_mode: never\n  runtime_mode: stream\n  runtime_command: codex\n  bd_command: bd\n"
    found, vain = upstream.layer(text, "config.yaml", Layer.UPSTREAM)
    assert {key: (given.value, given.origin.where) for key, given in found.items()} == {
        "place.isolation": (Isolation.IN_PLACE, "config.yaml:3"),
        "agent.use": (("codex",), "config.yaml:5"),
    }
    assert vain == ("config.yaml:4: rpi.runtime_mode has no effect in this version",)


def test_a_program_of_the_original_s_file_becomes_our_agent_command() -> None:
    found, _ = upstream.layer("rpi: {runtime_command: my-agent --x}", "c.yaml", Layer.UPSTREAM)
    assert {key: given.value for key, given in found.items()} == {"agent.command": ("my-agent", "--x")}


@pytest.mark.parametrize("text", ["rpi: [1", "rpi: 3", "rpi:\n  runtime_command: 7", "a: 1\na: 2", "\t- x: y", "{{"])
def test_a_broken_file_of_the_original_is_refused(text: str) -> None:
    with pytest.raises(BadConfiguration):
        upstream.layer(text, "c.yaml", Layer.UPSTREAM)


@pytest.mark.parametrize("text", ["", "# nothing\n", "- a\n- b\n", "just text", "rpi:\n", "rpi: {}\n"])
def test_a_file_of_the_original_that_says_nothing_about_the_loop_is_no_trouble(text: str) -> None:
    assert upstream.layer(text, "c.yaml", Layer.UPSTREAM) == ({}, ())


@pytest.mark.parametrize("listed", [*NEEDS_TRUST, *NO_EFFECT])
def test_every_listed_key_is_one_that_there_is(listed: str) -> None:
    free = ("agents.", "daemon.", "rates.")
    assert listed in free or any(names(key, (listed,)) for key in keys()), listed


def test_a_number_of_five_thousand_digits_is_no_traceback() -> None:
    assert "this is no TOML" in _wrong("x = " + "9" * 5000)


@pytest.mark.parametrize("text", ["rpi: !!int ''\n", "x: &a [1, 1]\nrpi: {worktree_mode: [*a, *a]}\n"])
def test_odd_yaml_of_the_original_is_refused_in_one_short_line(text: str) -> None:
    with pytest.raises(BadConfiguration) as refused:
        upstream.layer(text, "c.yaml", Layer.UPSTREAM)
    assert len(str(refused.value)) < 200 and "[1, 1]" not in str(refused.value)
