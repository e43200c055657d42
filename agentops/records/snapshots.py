"""Folders of fitness snapshots, one file a measurement, their names in the order of time.

Two kinds, both upstream's: what a person measured (`.agents/ao/goals/baselines/`), which `ao goals drift` compares with, and
the first measurement of each goals era (`.agents/evolve/fitness-baselines/goals-<hash>/`), which a night is held against. An
era lasts as long as the goals file keeps its bytes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from agentops.core.fitness import Fitness
from agentops.host import files
from agentops.host.faults import fault
from agentops.records import fitness_file

MEASURED = ".agents/ao/goals/baselines"
ERAS = ".agents/evolve/fitness-baselines"
_NAME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}\.[0-9]{3}(?:-[0-9]+)?\.json")
_LARGEST = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot file and what it holds."""

    path: str
    fitness: Fitness


@dataclass(frozen=True, slots=True)
class Latest:
    """The newest snapshot that can be read, and newer files that cannot."""

    snapshot: Snapshot | None
    unreadable: tuple[str, ...] = ()


def era_of(raw: bytes) -> str:
    """The era of a goals file's bytes: `goals-` and the first 12 hex digits of their SHA-256."""
    return f"goals-{hashlib.sha256(raw).hexdigest()[:12]}"


def era_folder(top: str, raw: bytes) -> str:
    """Where the baselines of a goals file's era lie."""
    return os.path.join(top, ERAS, era_of(raw))


def save(folder: str, fitness: Fitness, wall: float, *, goals_file: str = "") -> str:
    """Write a snapshot under the name of its moment; the path. `goals_file`: which one was measured, for `latest`."""
    files.ensure_folder(folder, mode=0o755)
    plain = fitness_file.as_plain(fitness)
    if goals_file:
        plain["goals_file"] = goals_file
    path = _free(folder, datetime.fromtimestamp(wall, UTC))
    fault("snapshots.write.before")
    files.write_atomic(path, msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n", mode=0o644, durable=False)
    return path


def has_baseline(folder: str) -> bool:
    """Whether an era has its baseline: any JSON file counts, as upstream's script counts them."""
    try:
        return any(name.endswith(".json") for name in os.listdir(folder))
    except OSError:
        return False


def kept(folder: str) -> tuple[str, ...]:
    """The snapshots in a folder, by the moment in their names; files with other names are somebody else's."""
    return tuple(os.path.join(folder, name) for name in sorted(filter(_NAME.fullmatch, _names(folder))))


def era_began(folder: str) -> float | None:
    """When an era's oldest baseline was taken, in seconds since the epoch; None when it has none that says."""
    oldest = min(filter(_NAME.fullmatch, _names(folder)), default=None)
    if oldest is None:
        return None
    day, _, clock = oldest.partition("T")
    return datetime.fromisoformat(f"{day}T{clock[:8].replace('-', ':')}").replace(tzinfo=UTC).timestamp()


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def latest(folder: str, *, goals_file: str = "") -> Latest:
    """The newest snapshot by the moment in its name; files with other names are no snapshots.

    With `goals_file` one that was taken of another goals file is passed over; an old one that does not say is taken.
    """
    unreadable: list[str] = []
    for path in _newest_first(folder):
        try:
            data = files.read_bounded(path, _LARGEST)
        except OSError:
            data = b""
        fitness = fitness_file.decode(data)
        if fitness is None:
            unreadable.append(path)
        elif not goals_file or _of(data) in ("", goals_file):
            return Latest(Snapshot(path, fitness), tuple(unreadable))
    return Latest(None, tuple(unreadable))


def _of(data: bytes) -> str:
    found = msgspec.json.decode(data)
    named = found.get("goals_file") if isinstance(found, dict) else None
    return named if isinstance(named, str) else ""


def _newest_first(folder: str) -> Iterator[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in sorted((name for name in names if _NAME.fullmatch(name)), reverse=True):
        yield os.path.join(folder, name)


def _free(folder: str, moment: datetime) -> str:
    """A name that nobody has yet: two measurements within a millisecond take the next one."""
    while True:
        name = f"{moment:%Y-%m-%dT%H-%M-%S}.{moment.microsecond // 1000:03d}.json"
        path = os.path.join(folder, name)
        if not os.path.lexists(path):
            return path
        moment += timedelta(milliseconds=1)
