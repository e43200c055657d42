"""`check-loads.json` in our state folder: what each check took when it last ran, so that the longest begins first.

Keyed by a hash of the check's text. A hint: losing it costs some order. Bounded; what ran longest ago goes first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from agentops.host import files
from agentops.host.faults import fault

MOST = 2_000
_LARGEST = 1024 * 1024
Facts = tuple[float, float, float]
"""Seconds by the clock, seconds of computing, and the share of the time at which it wanted to compute."""


def key(check: str) -> str:
    """What stands for a check in the file."""
    return hashlib.sha256(check.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def read(path: str) -> dict[str, Facts]:
    """By `key`; empty for a missing, torn or foreign file."""
    try:
        return msgspec.json.decode(files.read_bounded(path, _LARGEST), type=dict[str, Facts])
    except (OSError, msgspec.DecodeError, ValueError, RecursionError):
        return {}


def write(path: str, old: Mapping[str, Facts], seen: Iterable[tuple[str, Facts]]) -> None:
    """Replace the file by the old facts and the new ones (check and facts); one that cannot be written is no matter."""
    merged = dict(old)
    for check, facts in seen:
        merged.pop(key(check), None)
        merged[key(check)] = (round(facts[0], 3), round(facts[1], 3), round(facts[2], 2))
    kept = dict(list(merged.items())[-MOST:])
    try:
        fault("check_loads.write.before")
        files.write_atomic(path, msgspec.json.encode(kept), durable=False)
    except OSError:
        pass
