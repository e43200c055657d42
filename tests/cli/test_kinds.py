"""Values of options: what is accepted means what a person thinks it means."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.cli import kinds
from agentops.cli.evolve import settings_of
from agentops.cli.kinds import next_occurrence
from agentops.views.times import duration as shown
from agentops.views.times import local

FLAGS = {
    "max_cycles": None,
    "hours": None,
    "until": None,
    "agent": None,
    "agent_command": None,
    "phase_timeout": 5400.0,
    "idle_timeout": 900.0,
    "test_first": True,
    "isolation": None,
    "sandbox": None,
    "keep": "reached",
    "on_end": None,
    "require_gate": False,
    "strict_exit": False,
    "run_hooks": False,
    "skip_baseline": False,
    "dry_run": False,
}


@pytest.fixture
def zone() -> Iterator[None]:
    """Berlin, where the clocks change on 2026-03-29 and 2026-10-25."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("90m", 5400), ("2h", 7200), ("1h30m", 5400), ("1.5h", 5400), ("500ms", 0.5), (" 2d ", 172800)],
)
def test_durations(text: str, seconds: float) -> None:
    assert kinds.duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "m", "1h 30m", "90 minutes", "-5m", "1e3s", "٣m", "0s", "h1"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter):
        kinds.duration(text)


@given(st.text(max_size=12))
def test_no_text_is_ever_a_wrong_time(text: str) -> None:
    for kind in (kinds.duration, kinds.seconds, kinds.hours):
        try:
            assert 0 < kind(text) < float("inf")
        except click.BadParameter:
            continue


def test_seconds_may_stand_alone_where_upstream_has_them_so() -> None:
    assert (kinds.seconds("240"), kinds.seconds("4m")) == (240, 240)


@pytest.mark.parametrize("text", ["24:00", "7", "07:60", "7:5", "07:00:00", "-1:00", "aa:bb"])
def test_what_is_no_time_of_day(text: str) -> None:
    with pytest.raises(click.BadParameter):
        kinds.clock_time(text)


def test_until_is_the_next_time_that_the_clock_shows_it(zone: None) -> None:
    evening = time.mktime((2026, 11, 30, 23, 4, 0, 0, 0, -1))
    assert time.localtime(next_occurrence(7, 0, evening))[:5] == (2026, 12, 1, 7, 0)
    assert time.localtime(next_occurrence(23, 5, evening))[:5] == (2026, 11, 30, 23, 5)
    assert time.localtime(next_occurrence(23, 4, evening))[:5] == (2026, 12, 1, 23, 4), "a time that is now is tomorrow's"


def test_until_over_a_night_with_a_change_of_the_clock(zone: None) -> None:
    before = time.mktime((2026, 10, 24, 23, 0, 0, 0, 0, -1))
    at = next_occurrence(7, 0, before)
    assert time.localtime(at)[:5] == (2026, 10, 25, 7, 0)
    assert at - before == 9 * 3600, "eight hours by the wall, nine of work"


@given(st.integers(0, 23), st.integers(0, 59), st.floats(0, 4e9))
def test_until_is_always_ahead_and_never_further_than_two_days(hour: int, minute: int, now: float) -> None:
    assert 0 < next_occurrence(hour, minute, now) - now <= 2 * 86400


def test_an_agent_command_alone_chooses_the_agent() -> None:
    settings = settings_of({**FLAGS, "agent_command": ("my-agent", "--x")})
    assert (settings.agent, settings.agent_command) == ("command", ("my-agent", "--x"))


def test_the_flags_that_nobody_gave_are_the_settings_defaults() -> None:
    from agentops.policy.settings import Settings

    assert settings_of(FLAGS) == Settings()


def test_until_reads_the_clock_only_when_it_is_given() -> None:
    def now() -> float:
        raise AssertionError("nobody asked for a time")

    assert settings_of(FLAGS, now=now).until is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (0.34, "0.3 s"), (48, "48 s"), (719, "12 min"), (3 * 3600 + 300, "3 h 05 min"), (183600, "2 d 3 h")],
)
def test_durations_for_people(seconds: float, text: str) -> None:
    assert shown(seconds) == text


def test_another_day_is_named(zone: None) -> None:
    then = time.mktime((2026, 11, 30, 23, 4, 0, 0, 0, -1))
    assert local(then, then + 60) == "23:04"
    assert local(then, then + 3 * 3600) == "Mon 30 Nov 23:04"


@pytest.mark.parametrize(("text", "number"), [("200000", 200000), ("500k", 500_000), ("1.5M", 1_500_000), (" 2m ", 2_000_000)])
def test_numbers_of_tokens(text: str, number: int) -> None:
    assert kinds.count(text) == number


@pytest.mark.parametrize("text", ["0", "-3", "0k", "", "many", "1e9", "0.1", "5G"])
def test_what_is_no_number_of_tokens(text: str) -> None:
    with pytest.raises(click.BadParameter):
        kinds.count(text)


@pytest.mark.parametrize(("text", "number"), [("5", 5.0), ("12.50", 12.5), ("$3", 3.0)])
def test_amounts_of_money(text: str, number: float) -> None:
    assert kinds.amount(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan", "five", ""])
def test_what_is_no_amount_of_money(text: str) -> None:
    with pytest.raises(click.BadParameter):
        kinds.amount(text)


def test_what_may_be_spent_comes_from_a_flag_or_the_configuration() -> None:
    from agentops.policy import variables
    from agentops.policy.configuration import merge

    found = merge([variables.layer({"AO_BUDGET_SESSION_USD": "4", "AO_BUDGET_SESSION_TOKENS": "1000"})])
    settings = settings_of({**FLAGS, "max_usd": 2.5}, found)
    assert (settings.max_usd, settings.max_tokens) == (2.5, 1000)
