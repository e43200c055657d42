"""Snapshots of measured goals (`fitness-latest.json`, baselines): upstream's JSON, written so that both its readers agree.

Its command reads `goal_id`, its documentation and shell filters `id`; every goal carries both. Newer versions wrap the
snapshot as `{"mode": …, "snapshot": {…}}`; that is read too.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

import msgspec

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.host import files
from agentops.host.faults import fault

_LARGEST = 32 * 1024 * 1024
_FLAGS = ("broken", "timed_out", "out_of_memory", "not_started", "reused")
"""Ours, written only where they are true."""
_OUTCOMES = {str(outcome): outcome for outcome in GoalOutcome}


def score(goals: Iterable[GoalResult]) -> float:
    """100 × passing weight / (passing + failing weight); skipped goals are left out, no goals are 0.

    Divided first: upstream's last digit, so that two tools write one number for one state.
    """
    passing = failing = 0
    for goal in goals:
        passing += goal.weight if goal.outcome is GoalOutcome.PASS else 0
        failing += goal.weight if goal.outcome is GoalOutcome.FAIL else 0
    return passing / (passing + failing) * 100 if passing + failing else 0.0


def as_plain(fitness: Fitness) -> dict[str, object]:
    """The snapshot as plain JSON values, for a file or for `--json`."""
    count = {outcome: sum(goal.outcome is outcome for goal in fitness.goals) for outcome in GoalOutcome}
    plain: dict[str, object] = {
        "timestamp": fitness.timestamp,
        "git_sha": fitness.git_sha,
        "goals": [_plain_goal(goal) for goal in fitness.goals],
        "summary": {
            "total": len(fitness.goals),
            "passing": count[GoalOutcome.PASS],
            "failing": count[GoalOutcome.FAIL],
            "skipped": count[GoalOutcome.SKIP],
            "score": short(score(fitness.goals)),
        },
    }
    if fitness.mutating:
        plain["mutating"] = list(fitness.mutating)
    return plain


def encode(fitness: Fitness) -> bytes:
    """The snapshot as one line of compact JSON."""
    return msgspec.json.encode(as_plain(fitness))


def decode(data: bytes) -> Fitness | None:
    """The snapshot in either of its forms; None when the bytes hold none. Goals without an id are left out."""
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(inner := found.get("snapshot"), dict):
        found = inner
    if not isinstance(found, dict) or "goals" not in found:
        return None
    goals = found["goals"]
    # Upstream writes `null` for no goals.
    results = (_result(goal) for goal in goals) if isinstance(goals, list) else ()
    return Fitness(
        timestamp=_text(found.get("timestamp")),
        git_sha=_text(found.get("git_sha")),
        goals=tuple(result for result in results if result is not None),
        mutating=tuple(one for one in _list(found.get("mutating")) if isinstance(one, str)),
    )


def write(path: str, fitness: Fitness) -> None:
    """Replace the snapshot at once or not at all. Raises OSError; the old one then still stands."""
    files.ensure_folder(os.path.dirname(os.path.abspath(path)), mode=0o755)
    fault("fitness.write.before")
    files.write_atomic(path, encode(fitness) + b"\n", mode=0o644, named=False)  # the next measurement writes it again
    fault("fitness.write.after")


def read(path: str) -> Fitness | None:
    """The snapshot of a file; None when there is none or what is there is none (torn, foreign, larger than 32 MiB)."""
    try:
        return decode(files.read_bounded(path, _LARGEST))
    except OSError:
        return None


def _plain_goal(goal: GoalResult) -> dict[str, object]:
    plain: dict[str, object] = {"goal_id": goal.goal_id, "id": goal.goal_id, "result": goal.outcome.value}
    if goal.value is not None and math.isfinite(goal.value):
        plain["value"] = short(goal.value)
        if goal.threshold is not None and math.isfinite(goal.threshold):
            plain["threshold"] = short(goal.threshold)
    plain["duration_s"] = short(round(goal.seconds, 3))
    if goal.output:
        plain["output"] = goal.output
    plain["weight"] = goal.weight
    for name in _FLAGS:
        if getattr(goal, name):
            plain[name] = True
    return plain


def _result(found: object) -> GoalResult | None:
    if not isinstance(found, dict):
        return None
    goal_id = _text(found.get("goal_id")) or _text(found.get("id"))
    outcome = _OUTCOMES.get(_text(found.get("result")))
    if not goal_id or outcome is None:
        return None
    weight = found.get("weight")
    return GoalResult(
        goal_id=goal_id,
        outcome=outcome,
        weight=weight if isinstance(weight, int) and not isinstance(weight, bool) else 5,
        seconds=_number(found.get("duration_s")) or 0.0,
        output=_text(found.get("output")),
        value=_number(found.get("value")),
        threshold=_number(found.get("threshold")),
        broken=found.get("broken") is True,
        timed_out=found.get("timed_out") is True,
        out_of_memory=found.get("out_of_memory") is True,
        not_started=found.get("not_started") is True,
        reused=found.get("reused") is True,
    )


def short(number: float) -> int | float:
    """100 rather than 100.0: what upstream's encoder writes, and what shell filters compare with."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300 else None
