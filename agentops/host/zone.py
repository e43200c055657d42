"""The local time zone of this machine, with its clock changes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

_LOCALTIME = "/etc/localtime"


def local_zone(env: Mapping[str, str]) -> tzinfo:
    """By `TZ`, else by /etc/localtime, else UTC. A `TZ` that names no place (`EST5EDT4,M3…`) counts as none."""
    named = env.get("TZ", "").removeprefix(":")
    if named:
        try:
            return ZoneInfo(named)
        except (KeyError, ValueError, OSError):
            pass
    try:
        with open(_LOCALTIME, "rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC
