"""What recovery asks: the paths that a cut-off cycle changed, and which of them someone changed after it."""

from __future__ import annotations

from collections.abc import Collection

from agentops.core.journals import InFlight
from agentops.views.times import local

_MOST = 200


def question(flight: InFlight, paths: Collection[str], later: Collection[str]) -> str:
    """All that a person needs to answer, the two answers last."""
    lines = [
        f"cycle {flight.cycle} ({flight.item.key}: {flight.item.title}) was cut off at {local(flight.beat)}",
        f"{len(paths)} paths differ from its start:",
    ]
    lines += [f"  {path}{' (changed later)' if path in later else ''}" for path in sorted(paths)[:_MOST]]
    if len(paths) > _MOST:
        lines.append(f"  and {len(paths) - _MOST} more")
    return "\n".join((*lines, "ao recover --keep leaves all as it is; --take-back takes back what was not changed later"))
