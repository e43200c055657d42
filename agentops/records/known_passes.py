"""`known-passes.json` in our state folder: checks that passed, by a fingerprint of all that they declare to depend on.

A cache: losing it costs one measurement. Bounded; the oldest go first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from agentops.host import files
from agentops.host.faults import fault

MOST = 500
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class KnownPass:
    """`at`: seconds since the epoch; the rest as in the result of the goal."""

    at: float
    seconds: float
    output: str = ""
    value: float | None = None


@dataclass(slots=True)
class KnownPasses:
    """The file in memory."""

    passes: dict[str, KnownPass] = field(default_factory=dict)

    def of(self, fingerprint: str, since: float) -> KnownPass | None:
        """The pass with that fingerprint, unless it is older than `since`."""
        found = self.passes.get(fingerprint)
        return found if found is not None and found.at >= since else None

    def add(self, fingerprint: str, one: KnownPass) -> None:
        """Remember a pass; the last place in the row is the newest."""
        self.passes.pop(fingerprint, None)
        self.passes[fingerprint] = one
        while len(self.passes) > MOST:
            del self.passes[next(iter(self.passes))]


def read(path: str) -> KnownPasses:
    """What the file holds; nothing for a missing, torn or foreign one."""
    try:
        return msgspec.json.decode(files.read_bounded(path, _LARGEST), type=KnownPasses)
    except (OSError, msgspec.DecodeError, ValueError, RecursionError):
        return KnownPasses()


def write(path: str, known: KnownPasses) -> None:
    """Replace the file; one that cannot be written is a cache less."""
    try:
        fault("known_passes.write.before")
        files.write_atomic(path, msgspec.json.encode(known), durable=False)
    except OSError:
        pass
