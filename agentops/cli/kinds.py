"""What the values of options may look like, as click's `type`: durations, local times and when they come, argument lists."""

from __future__ import annotations

import math
import re
import shlex
import time

import click

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_COUNT = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?)([kKmM]?)")
_THOUSANDS = {"": 1, "k": 1000, "m": 1000_000}
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def duration(value: str) -> float:
    """`90m`, `30s`, `2h`, `1h30m` in seconds."""
    text = value.strip()
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise click.BadParameter(f"{text!r} is no duration: write 30s, 90m, 2h or 1h30m")
    return _some(text, sum(float(number) * _UNITS[unit] for number, unit in parts))


def seconds(value: str) -> float:
    """A duration; a number alone means seconds, as upstream's `--timeout 240` does."""
    text = value.strip()
    return _some(text, float(text)) if _NUMBER.fullmatch(text) else duration(text)


def hours(value: str) -> float:
    """A number of hours above zero, finite: no number says that a night has no limit."""
    try:
        found = float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no number of hours") from None
    return _some(value, found)


def amount(value: str) -> float:
    """An amount of money above zero, finite; a `$` before it is understood."""
    try:
        found = float(value.strip().removeprefix("$"))
    except ValueError:
        raise click.BadParameter(f"{value!r} is no amount of money: write 5 or 12.50") from None
    if not 0 < found < math.inf:
        raise click.BadParameter(f"{value!r} is no limit: write 5 or 12.50")
    return found


def count(value: str) -> int:
    """A number above zero: `200000`, `500k`, `1.5M`."""
    found = _COUNT.fullmatch(value.strip())
    if found is None or (number := round(float(found[1]) * _THOUSANDS[found[2].lower()])) < 1:
        raise click.BadParameter(f"{value!r} is no number of tokens: write 200000, 500k or 2M")
    return number


def clock_time(value: str) -> tuple[int, int]:
    """`07:00`: hour and minute of the local clock."""
    found = _CLOCK.fullmatch(value.strip())
    if found is None:
        raise click.BadParameter(f"{value!r} is no time of day: write 07:00")
    return int(found[1]), int(found[2])


def argv(value: str) -> tuple[str, ...]:
    """A command and its arguments, split as a shell would but never run by one."""
    try:
        words = tuple(shlex.split(value))
    except ValueError as unbalanced:
        raise click.BadParameter(f"{value!r} cannot be split into words: {str(unbalanced).lower()}") from None
    if not words:
        raise click.BadParameter("that is an empty command")
    return words


def next_occurrence(hour: int, minute: int, now: float) -> float:
    """The next time the local clock shows HH:MM, in seconds since the epoch; the clock change is the C library's business."""
    today = time.localtime(now)
    for days in range(3):
        at = time.mktime((today.tm_year, today.tm_mon, today.tm_mday + days, hour, minute, 0, 0, 0, -1))
        if at > now:
            return at
    raise AssertionError("a local time occurs within two days")


def _some(text: str, amount: float) -> float:
    if not 0 < amount < math.inf:
        raise click.BadParameter(f"{text!r} leaves no time to work in" if not amount > 0 else f"{text!r} is no end at all")
    return amount
