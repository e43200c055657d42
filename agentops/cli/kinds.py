"""What the values of options may look like: durations, local times, argument lists."""

from __future__ import annotations

import math
import re
import shlex
from typing import Any

import click

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\Z")


class Duration(click.ParamType):
    """`90m`, `30s`, `2h`, `1h30m`; seconds. `bare`: a number alone means seconds."""

    name = "duration"

    def __init__(self, *, bare: bool = False) -> None:
        self.bare = bare

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip()
        parts = _PART.findall(text)
        if parts and "".join(number + unit for number, unit in parts) == text:
            seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
        elif self.bare and re.fullmatch(r"\d+(?:\.\d+)?", text):
            seconds = float(text)
        else:
            self.fail(f"{text!r} is no duration: write 30s, 90m, 2h or 1h30m", param, ctx)
        if seconds <= 0 or not math.isfinite(seconds):
            self.fail(f"{text!r} is no time at all", param, ctx)
        return seconds


class ClockTime(click.ParamType):
    """`07:00`: hours and minutes of the local clock, as a pair of numbers."""

    name = "HH:MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        found = _CLOCK.match(str(value).strip())
        if found is None:
            self.fail(f"{str(value)!r} is no time of day: write 07:00", param, ctx)
        return int(found[1]), int(found[2])


class PositiveHours(click.ParamType):
    """A number of hours above zero, finite: a night without a limit is said by no number."""

    name = "hours"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            hours = float(value)
        except ValueError:
            self.fail(f"{str(value)!r} is no number of hours", param, ctx)
        if not (0 < hours < math.inf):
            self.fail(f"{value} hours is no time to work in", param, ctx)
        return hours


class Argv(click.ParamType):
    """A command and its arguments, split as a shell would but never run by one."""

    name = "argv"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        try:
            words = tuple(shlex.split(str(value)))
        except ValueError as unbalanced:
            self.fail(f"{str(value)!r} cannot be split into words: {str(unbalanced).lower()}", param, ctx)
        if not words:
            self.fail("an empty command", param, ctx)
        return words
