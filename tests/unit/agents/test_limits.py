"""Waiting for limits: pure decisions over any words and any times."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from agentops.agents.limits import JUST_PASSED, LEAST, MOST, PROBES, backoff, due, read
from agentops.core.clock import Instant

ZONES = st.sampled_from([ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/Los_Angeles", "Australia/Lord_Howe")])
NOWS = st.floats(1_750_000_000, 1_900_000_000).map(lambda wall: Instant(wall - 1_700_000_000, wall))
BITS = st.sampled_from(
    [
        "resets",
        "reset",
        "try",
        "again",
        "in",
        "at",
        "3",
        "am",
        "pm",
        "12",
        ":",
        "00",
        "59",
        "Dec",
        "Feb",
        "29",
        "31",
        "2026",
        "2027",
        "1796100000",
        "|",
        "(Europe/Oslo)",
        "UTC+2",
        "Mon",
        "tomorrow",
        "hours",
        "hours,",
        "99999999",
        "minutes",
        "retry-after",
        ":",
        '"',
        "-",
        "T",
        "Z",
        ",",
        "and",
        "an",
        "midnight",
        "∙",
        "resets_at",
        "=",
        "ms",
        "s",
    ]
)


@given(st.lists(BITS | st.text(max_size=4), max_size=14).map(" ".join), NOWS, ZONES)
def test_no_words_at_all_can_break_the_reading(message: str, now: Instant, zone: ZoneInfo) -> None:
    found = read(message, now, zone)
    assert (
        found is None
        or found.mono - now.mono == found.wall - now.wall
        or abs(found.mono - now.mono - found.wall + now.wall) < 1e-3
    )


@given(st.integers(0, 23), st.integers(0, 59), NOWS, ZONES)
def test_a_time_of_day_is_the_next_one_unless_it_has_just_passed(hour: int, minute: int, now: Instant, zone: ZoneInfo) -> None:
    found = read(f"5-hour limit reached ∙ resets {hour % 12 or 12}:{minute:02d}{'pm' if hour >= 12 else 'am'}", now, zone)
    assert found is not None and -JUST_PASSED < found.wall - now.wall <= 86400.0 + 7200.0
    local = datetime.fromtimestamp(found.wall, zone)
    shifted = local.utcoffset() != (local - timedelta(hours=2)).utcoffset()  # a clock change may have skipped it
    assert (local.hour, local.minute) == (hour, minute) or shifted


@given(NOWS, ZONES, st.integers(1, 100), st.integers(0, 59))
def test_a_span_is_counted_from_now(now: Instant, zone: ZoneInfo, hours: int, minutes: int) -> None:
    found = read(f"try again in {hours} hours {minutes} minutes.", now, zone)
    assert found is not None and abs(found.wall - now.wall - hours * 3600 - minutes * 60) < 1e-3


@given(st.none() | st.floats(-1e6, 1e9), NOWS, st.integers(0, 50))
def test_nobody_waits_less_than_a_minute_or_more_than_eight_days(ahead: float | None, now: Instant, streak: int) -> None:
    wait = due(None if ahead is None else now.plus(ahead), now, streak).mono - now.mono
    assert LEAST - 1e-3 <= wait <= MOST + 1e-3
    if ahead is None or ahead <= 0:
        assert abs(wait - PROBES[min(streak, 3)]) < 1e-3
    if streak:  # a limit that outlives what it named is asked about more and more slowly, never in a tight circle
        assert wait >= PROBES[min(streak - 1, 3)] - 1e-3


@given(NOWS, st.integers(0, 1000), st.text(max_size=5))
def test_an_overloaded_server_is_asked_ever_more_slowly_within_bounds(now: Instant, streak: int, seed: str) -> None:
    wait = backoff(now, streak, seed).mono - now.mono
    assert 30.0 - 1e-3 <= wait <= 900.0 * 1.5 + 1e-3
    assert backoff(now, streak, seed) == backoff(now, streak, seed)


def test_a_time_that_a_clock_change_skips_or_repeats_is_not_too_early() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    before = datetime(2026, 3, 28, 23, 0, tzinfo=berlin).timestamp()
    found = read("resets 2:30am", Instant(0.0, before), berlin)
    assert found is not None and datetime.fromtimestamp(found.wall, berlin).hour == 3
    before = datetime(2026, 10, 24, 23, 0, tzinfo=berlin).timestamp()
    found = read("resets 2:30am", Instant(0.0, before), berlin)
    assert found is not None and found.wall - before == 4.5 * 3600  # the second 2:30
