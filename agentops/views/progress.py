"""A measurement under way, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentops.views.blocks import printable
from agentops.views.times import duration


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is. `running`: ids and the seconds since their start, the longest first."""

    done: int
    total: int
    failing: int
    running: Sequence[tuple[str, float]]


def line(seen: Progress, width: int = 200) -> str:
    """`12 of 50 measured, 3 fail · running: tests-green 12 s, lint 3 s and 4 more`, at most `width` columns."""
    fail = "" if not seen.failing else f", {seen.failing} fail{'s' if seen.failing == 1 else ''}"
    head = f"{seen.done} of {seen.total} measured{fail}"
    if not seen.running:
        return head[:width]
    named = [f"{' '.join(printable(goal).split())} {duration(seconds)}" for goal, seconds in seen.running]
    for shown in range(min(len(named), 4), 0, -1):
        more = f" and {len(named) - shown} more" if shown < len(named) else ""
        text = f"{head} · running: {', '.join(named[:shown])}{more}"
        if len(text) <= width:
            return text
    return head[:width]
