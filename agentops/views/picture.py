"""The goals' way through a session as one picture: pure, SVG text, no script, no colour without a second sign.

Above, how many goals passed after each cycle; below, one line a goal, so that one sees which one moved and which came back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from agentops.core.fitness import GoalOutcome
from agentops.evolve.report import Measured
from agentops.views.blocks import clipped, printable

WIDTH = 360
_LEFT, _RIGHT, _TOP = 24, 8, 14
_CURVE = 84
_ROW = 15
_LABELS = 124
"""Units of a line that a goal's name gets."""
COLUMNS = 60
ROWS = 24
_CLASS = {GoalOutcome.PASS: "pass", GoalOutcome.FAIL: "fail", GoalOutcome.SKIP: "skip"}


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` stands in a page as it is; `left_out`: goals that never moved and found no room in it."""

    svg: Markup
    left_out: int = 0


def picture(points: Sequence[Measured]) -> Picture | None:
    """The whole picture; None when there is nothing to see in it. At most `COLUMNS` moments and `ROWS` goals."""
    shown = thinned(points, COLUMNS)
    if len(shown) < 2 or not shown[-1].goals:
        return None
    names = chosen(shown, ROWS)
    below = _TOP + _CURVE + 34
    height = below + _ROW * len(names) + 6
    first, last = (f"{one.passing} of {len(one.goals)}" for one in (shown[0], shown[-1]))
    label = f"Goals passing: {first} at the start, {last} at the end."
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}" xmlns="http://www.w3.org/2000/svg">',
        *_curve(shown),
        *_matrix(shown, names, below),
        "</svg>",
    ]
    return Picture(Markup("\n".join(parts)), len(shown[-1].goals) - len(names))  # noqa: S704 - names are escaped


def thinned(points: Sequence[Measured], most: int) -> list[Measured]:
    """At most so many moments, evenly taken; the first and the last are always among them."""
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(at * step)] for at in range(most)]


def chosen(points: Sequence[Measured], most: int) -> list[str]:
    """Goals of the last moment: those that moved first, then those that fail, each in the order of the goals file."""
    names = list(points[-1].goals)
    moved = {name for name in names if len({one.goals.get(name) for one in points}) > 1}
    rank = {name: 0 if name in moved else 1 if points[-1].goals[name] is not GoalOutcome.PASS else 2 for name in names}
    return sorted(names, key=lambda name: rank[name])[:most]


def _curve(points: Sequence[Measured]) -> list[str]:
    most = max(1, *(len(one.goals) for one in points))
    wide = (WIDTH - _LEFT - _RIGHT) / (len(points) - 1)
    dots = [(_LEFT + at * wide, _TOP + _CURVE * (1 - one.passing / most)) for at, one in enumerate(points)]
    path = f"M{dots[0][0]:.1f} {dots[0][1]:.1f}" + "".join(
        f"H{x:.1f}V{y:.1f}"
        for x, y in dots[1:]  # a goal passes or not: steps, no slopes
    )
    floor = _TOP + _CURVE
    out = [f'<line class="axis" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>' for y in (_TOP, floor)]
    out += [
        f'<text x="{_LEFT - 5}" y="{_TOP + 4}" text-anchor="end">{most}</text>',
        f'<text x="{_LEFT - 5}" y="{floor + 4}" text-anchor="end">0</text>',
        f'<path class="area" d="{path}V{floor}H{_LEFT}Z"/>',
        f'<path class="curve" d="{path}"/>',
        f'<text x="{_LEFT}" y="{floor + 14}">{_moment(points[0])}</text>',
        f'<text x="{WIDTH - _RIGHT}" y="{floor + 14}" text-anchor="end">{_moment(points[-1])}</text>',
    ]
    if len(dots) <= 30:
        out += [
            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.5">'
            f"<title>{_moment(one)}: {one.passing} of {len(one.goals)}</title></circle>"
            for (x, y), one in zip(dots, points, strict=True)
        ]
    return out


def _matrix(points: Sequence[Measured], names: Sequence[str], top: float) -> list[str]:
    """One line a goal, one cell a moment; a failing cell is lower as well as red, a skipped one is a stroke."""
    wide = (WIDTH - _LABELS - _RIGHT) / len(points)
    gap = 1.0 if wide > 4 else 0.0
    out = []
    for row, name in enumerate(names):
        y = top + row * _ROW
        whole = printable(name)
        told = f"{escape(clipped(whole, 20))}<title>{escape(whole)}</title>"
        out.append(f'<text class="name" x="{_LABELS - 6}" y="{y + 10}" text-anchor="end">{told}</text>')
        for column, one in enumerate(points):
            outcome = one.goals.get(name)
            if outcome is None:
                continue
            kind = _CLASS[outcome]
            down, tall = {"pass": (1, 11), "fail": (8, 4), "skip": (6, 1)}[kind]
            x = _LABELS + column * wide
            out.append(f'<rect class="{kind}" x="{x:.1f}" y="{y + down}" width="{max(0.8, wide - gap):.1f}" height="{tall}"/>')
    return out


def _moment(one: Measured) -> str:
    return f"after cycle {one.after}" if one.after > 0 else "start"
