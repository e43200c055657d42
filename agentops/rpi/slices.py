"""Work too large for one cycle: discovery cuts it into slices, the first coherent wave is done now, the rest is queued."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TOO_MANY = 7
"""Slices from which on work is too large for one cycle (evolve.md section 4); so are slices of several subsystems."""
_READ = 50


@dataclass(frozen=True, slots=True)
class Slice:
    """One part of the work in the agent's words. `subsystem` is empty when it named none."""

    title: str
    subsystem: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wave:
    """`now` is empty when the work was not cut: then all of it is done."""

    now: tuple[Slice, ...] = ()
    later: tuple[Slice, ...] = ()


def first_wave(slices: Sequence[Slice]) -> Wave:
    """The slices of the first one's subsystem, in order, fewer than seven; the others wait. Pure."""
    subsystems = {one.subsystem for one in slices if one.subsystem}
    if len(slices) < TOO_MANY and len(subsystems) < 2:
        return Wave()
    # A slice without a subsystem (a shared helper, the docs) goes with whatever is done first.
    first = next((one.subsystem for one in slices if one.subsystem), "")
    now = [one for one in slices if one.subsystem in ("", first)][: TOO_MANY - 1]
    later = [one for one in slices if one not in now]
    return Wave(tuple(now), tuple(later)) if later else Wave()


def read_slices(value: object) -> tuple[Slice, ...]:
    """The `slices` of a verdict: texts, or objects {title, subsystem, files}. Each title counts once."""
    listed = value if isinstance(value, list) else []
    found = [one for one in map(_one, listed[:_READ]) if one is not None]
    once: dict[str, Slice] = {}
    for one in found:
        once.setdefault(one.title, one)
    return tuple(once.values())


def _one(value: object) -> Slice | None:
    plain = value if isinstance(value, dict) else {"title": value if isinstance(value, str) else ""}
    title = " ".join(str(plain.get("title") or "").split())[:160].strip()
    files = plain.get("files")
    if not title:
        return None
    return Slice(
        title,
        " ".join(str(plain.get("subsystem") or "").lower().split())[:60],
        tuple(str(one)[:300] for one in files[:20]) if isinstance(files, list) else (),
    )
