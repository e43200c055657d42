"""Where a value lies in an event: `message.content[*].text`, `stats.models.*.tokens`, `messages[-1].stopReason`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

Step = str | int | None
"""A key, an index, or None for "each of them"."""

_PART = re.compile(r"([^.\[\]]+)|\[(-?\d+|\*)\]")


def compiled(path: str) -> tuple[Step, ...]:
    """The steps of a path. Raises ValueError with what is wrong with it."""
    steps: list[Step] = []
    at = 0
    while at < len(path):
        if path[at] == "." and at and at + 1 < len(path):
            at += 1
        found = _PART.match(path, at)
        if found is None:
            raise ValueError(f"`{path}` is no path: write keys with dots between them, `[0]`, `[-1]`, `[*]` or `*`")
        key, index = found.groups()
        steps.append(None if "*" in (key, index) else key if key is not None else int(index))
        at = found.end()
    if not steps:
        raise ValueError("an empty path leads nowhere")
    return tuple(steps)


def values(event: object, steps: tuple[Step, ...]) -> Iterator[object]:
    """Every value the path leads to; none where something on the way is missing or of another kind."""
    if None not in steps:  # the usual case: one way, at most one value
        at = event
        for step in steps:
            if isinstance(at, dict) and step in at:  # noqa: SIM114 - two kinds, told apart for the type checker
                at = at[step]
            elif isinstance(at, list) and isinstance(step, int) and -len(at) <= step < len(at):
                at = at[step]
            else:
                return
        yield at
        return
    found = [event]
    for step in steps:
        below: list[object] = []
        for one in found:
            if isinstance(one, dict):
                below.extend(one.values() if step is None else [one[step]] if step in one else [])
            elif isinstance(one, list):
                if step is None:
                    below.extend(one)
                elif isinstance(step, int) and -len(one) <= step < len(one):
                    below.append(one[step])
        found = below
    yield from found


def total(event: object, paths: tuple[tuple[Step, ...], ...]) -> float | None:
    """The sum of all numbers that the paths lead to; None when they lead to none."""
    numbers = [
        float(one)
        for steps in paths
        for one in values(event, steps)
        if isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one < 1e15
    ]
    return sum(numbers) if numbers else None


def words(event: object, steps: tuple[Step, ...]) -> str:
    """The texts that the path leads to, one a line."""
    return "\n".join(one for one in values(event, steps) if isinstance(one, str) and one)
