"""When a limit is over, read from whatever words an agent has for it; and how long to wait when it says nothing. Pure.

The moment is a hint: limits outlive their own reset (loop-peers B-L3), so a time that has passed means "look again, slower
each time", never "go on at once".
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

from agentops.core.clock import Instant

MARGIN = 60.0
"""Seconds added to a reset that was named: clocks differ, and asking a second too early costs the next wait."""
LEAST, MOST = 60.0, 8 * 86400.0
PROBES = (300.0, 600.0, 1200.0, 1800.0)
"""Waits before looking again where no reset is known or it has passed: 5, 10, 20, then 30 minutes."""
JUST_PASSED = 3 * 3600.0
"""A time of day without a date that lies so little in the past is meant: the limit outlives it. Else it is tomorrow's."""
_BACKOFF, _BACKOFF_MOST = 30.0, 900.0

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_MONTHS = {
    name: number
    for number, name in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)
}
_DAYS = {name: number for number, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_ZONES = {
    "utc": "UTC", "gmt": "UTC", "z": "UTC",
    "pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pacific": "America/Los_Angeles",
    "mt": "America/Denver", "mst": "America/Denver", "mdt": "America/Denver",
    "ct": "America/Chicago", "cst": "America/Chicago", "cdt": "America/Chicago",
    "et": "America/New_York", "est": "America/New_York", "edt": "America/New_York", "eastern": "America/New_York",
    "bst": "Europe/London", "cet": "Europe/Berlin", "cest": "Europe/Berlin", "jst": "Asia/Tokyo", "ist": "Asia/Kolkata",
}  # fmt: skip

_EPOCH = re.compile(r"(?:\||reset[a-z_]*[\"']?\s*[:=]\s*[\"']?|resets?(?: at)? )(\d{10}(?:\d{3})?)(?:\.\d+)?\b", re.IGNORECASE)
_SECONDS = re.compile(
    r"(?:resets?_(?:in|after)(?:_seconds)?|retry[-_ ]?after(?:[-_ ]?seconds)?|retryDelay|retry_delay)"
    r"[\"']?\s*[:=]?\s*[\"']?(\d{1,8}(?:\.\d+)?)(ms|s|\b)(?![hm\d])",
    re.IGNORECASE,
)
_HTTP_DATE = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun), \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt", re.IGNORECASE)
_ISO = re.compile(
    r"\b(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?(?![\d-])", re.IGNORECASE
)
_ANCHOR = re.compile(
    r"\b(?:resets?|resetting|renews?|refresh(?:es)?|try(?:ing)? again|retry(?:ing)?|available(?: again)?|back|until|wait)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(\d+(?:\.\d+)?|an?)\s*"
    r"(weeks?|w|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)(?![a-z])[\s,]*(?:and\s+)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?:(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b\.?|([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?|(noon|midnight)\b)",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    r"\b(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!:)"
    r"|(\d{1,2})(?:st|nd|rd|th)? (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b\.?)(?:,? (\d{4})\b(?!:))?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday|s|rs|nes)?\b", re.IGNORECASE)
_PLACE = re.compile(r"\(?\b([A-Z][A-Za-z]+(?:/[A-Z][A-Za-z0-9_+-]+){1,2})\b\)?")
_ABBREVIATION = re.compile(r"(?<![A-Za-z])(" + "|".join(sorted(_ZONES, key=len, reverse=True)) + r")(?![A-Za-z])", re.IGNORECASE)


def read(message: str, now: Instant, zone: tzinfo) -> Instant | None:
    """The moment a message names for the end of a limit; None when it names none.

    `zone`: whose local time is meant where the message names no place. What it names may have passed already; a time of day
    that passed within the last three hours is that one, an earlier one is tomorrow's.
    """
    text = message[:20_000]
    wall = _exact(text, now, zone)
    if wall is None:
        for rest in _after_anchors(text):
            wall = _spoken(rest, now.wall, _zone_of(rest, zone))
            if wall is not None:
                break
    return None if wall is None else now.plus(wall - now.wall)


def due(named: Instant | None, now: Instant, streak: int) -> Instant:
    """When to try again. `streak`: how many limits came in a row before this one, without a good run in between."""
    if named is None or named.wall <= now.wall:
        return now.plus(PROBES[min(streak, len(PROBES) - 1)])
    # The mended moment of a streak never comes sooner than a probe would: no spinning on a server that names "in 1 s".
    least = LEAST if streak == 0 else PROBES[min(streak - 1, len(PROBES) - 1)]
    return now.plus(max(least, min(MOST, named.wall - now.wall + MARGIN)))


def backoff(now: Instant, streak: int, seed: str) -> Instant:
    """When to try a server again that is overloaded or out of reach: doubling from 30 s to 15 min, up to a half more by dice."""
    wait = min(_BACKOFF_MOST, _BACKOFF * 2.0 ** min(streak, 10))
    return now.plus(wait * (1.0 + 0.5 * random.Random(f"{seed}/{streak}").random()))  # noqa: S311 - spreads load


def _exact(text: str, now: Instant, zone: tzinfo) -> float | None:
    """Forms that machines write: seconds to wait (preferred: no clock to disagree with, loop-peers B-L8), epochs, dates."""
    if found := _SECONDS.search(text):
        return now.wall + float(found[1]) * (0.001 if found[2].lower() == "ms" else 1.0)
    if found := _EPOCH.search(text):
        return _plausible(float(found[1]) / (1000.0 if len(found[1]) == 13 else 1.0))
    if found := _HTTP_DATE.search(text):
        try:
            return _plausible(parsedate_to_datetime(found[0]).timestamp())
        except ValueError:
            return None
    if found := _ISO.search(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
        try:
            local = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - its zone follows
        except ValueError:
            return None
        return _plausible(_timestamp(local, _offset(found[7]) or _zone_of(text[found.end() :], zone)))
    return None


def _after_anchors(text: str) -> Iterator[str]:
    """What follows each word that announces a time: "5-hour limit reached, resets 3pm" is no "in 5 hours"."""
    for found in _ANCHOR.finditer(text):
        yield text[found.end() : found.end() + 120]


def _spoken(text: str, now: float, zone: tzinfo) -> float | None:
    line = text.split("\n", 1)[0]
    return _span(line, now) or _moment(line, now, zone)


def _span(text: str, now: float) -> float | None:
    """`in 2 hours 13 minutes`, `after 14h32m11s`, `3h 5m`: only right after the announcing word."""
    begin = re.match(r"[\s:]*(?:(?:in|after|for|at least|about|another|approximately)\s+)*", text, re.IGNORECASE)
    at = begin.end() if begin else 0
    total, any_ = 0.0, False
    while found := _SPAN.match(text, at):
        number = 1.0 if found[1].lower().startswith("a") else float(found[1])
        total += number * _UNITS[found[2][0].lower()]
        at, any_ = found.end(), True
    return now + min(total, 10 * MOST) if any_ else None


def _moment(text: str, now: float, zone: tzinfo) -> float | None:
    """A time of day, with or without a day; a day without a time begins at midnight."""
    here = datetime.fromtimestamp(now, zone)
    clock = _CLOCK.search(text)
    hour, minute = _hour_of(clock) if clock else (0, 0)
    if hour < 0:
        return None
    if found := _MONTH_DAY.search(text):
        return _on_date(found, here, hour, minute, zone)
    if found := _WEEKDAY.search(text):
        days = (_DAYS[found[1].lower()] - here.weekday()) % 7
        at = _at(here.date() + timedelta(days), hour, minute, zone)
        return at if at > now - JUST_PASSED else _at(here.date() + timedelta(days + 7), hour, minute, zone)
    if re.search(r"\btomorrow\b", text, re.IGNORECASE):
        return _at(here.date() + timedelta(1), hour, minute, zone)
    if clock is None:
        return None
    for days in (-1, 0, 1, 2):
        at = _at(here.date() + timedelta(days), hour, minute, zone)
        if at > now - JUST_PASSED:
            return at
    return None


def _on_date(found: re.Match[str], here: datetime, hour: int, minute: int, zone: tzinfo) -> float | None:
    month, day = _MONTHS[(found[1] or found[4]).lower()], int(found[2] or found[3])
    years = (int(found[5]),) if found[5] else (here.year, here.year + 1)
    last = None
    for year in years:
        try:
            last = _at(date(year, month, day), hour, minute, zone)
        except ValueError:
            continue
        if found[5] or last > here.timestamp() - 30 * 86400.0:  # in January, "Dec 30" was last month
            return _plausible(last)
    return last


def _hour_of(clock: re.Match[str]) -> tuple[int, int]:
    hour12, minute12, half, hour24, minute24, word = clock.groups()
    if word:
        return (12, 0) if word.lower() == "noon" else (0, 0)
    if hour24 is not None:
        return int(hour24), int(minute24)
    hour, minute = int(hour12), int(minute12 or 0)
    if not 1 <= hour <= 12 or minute > 59:
        return -1, 0
    return hour % 12 + (12 if half.lower() == "p" else 0), minute


def _at(day: date, hour: int, minute: int, zone: tzinfo) -> float:
    return _timestamp(datetime(day.year, day.month, day.day, hour, minute), zone)  # noqa: DTZ001 - its zone is given


def _timestamp(local: datetime, zone: tzinfo) -> float:
    """Of a local time that occurs twice the later one: too late costs an hour once, too early a probe that fails. One that
    a clock change skips is read with the offset before it, and so lies just behind the gap.
    """
    early, late = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if early.utcoffset() == late.utcoffset():
        return early.timestamp()
    return max(early.timestamp(), late.timestamp())


def _zone_of(text: str, default: tzinfo) -> tzinfo:
    """The place that a message names: `(Europe/Oslo)`, `UTC`, `PT`, `+02:00`; else the given one."""
    for found in _PLACE.finditer(text):
        if (zone := _named(found[1])) is not None:
            return zone
    if offset := re.search(r"(?:UTC|GMT)\s?([+-]\d{1,2}(?::?\d\d)?)\b", text, re.IGNORECASE):
        return _offset(offset[1]) or default
    if (short := _ABBREVIATION.search(text)) is not None and (short[1].isupper() or len(short[1]) > 3):
        return _named(_ZONES[short[1].lower()]) or default
    return default


def _named(name: str) -> tzinfo | None:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such place, or no zone data on this machine
        return None


def _offset(text: str | None) -> tzinfo | None:
    if not text:
        return None
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    found = re.fullmatch(r"([+-])(\d{1,2}):?(\d\d)?", text)
    if found is None or int(found[2]) > 14:
        return None
    span = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return timezone(-span if found[1] == "-" else span)


def _plausible(wall: float) -> float | None:
    """A moment between 2001 and 2100; anything else is some other number."""
    return wall if 1e9 <= wall <= 4.1e9 else None
