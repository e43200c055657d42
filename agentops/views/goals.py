"""What the `ao goals` commands found, as blocks for people and as upstream's JSON."""

from __future__ import annotations

from collections.abc import Sequence

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.goals.directives import Directive
from agentops.goals.drift import Compared, Delta, GoalDrift
from agentops.goals.validation import Validation
from agentops.records.fitness_file import score, short
from agentops.records.goal_history import Past
from agentops.records.times import wall_of
from agentops.views import fitness as fitness_view
from agentops.views.blocks import Block, Table, Tone
from agentops.views.times import local

NO_BASELINE = "there was no earlier measurement to compare with; this one is kept for the next time"
_TONES = {Delta.REGRESSED: Tone.BAD, Delta.UNMEASURED: Tone.PLAIN, Delta.IMPROVED: Tone.GOOD, Delta.UNCHANGED: Tone.DIM}


def validation(found: Validation) -> list[Block]:
    """One line a finding under a line that says whether the file is valid."""
    out: list[Block] = []
    if found.valid:
        directives = f", {_counted(found.directives, 'directive')}" if found.directives else ""
        out.append(f"VALID: {_counted(found.goal_count, 'goal')}{directives}, version {found.version}, format {found.format}")
    else:
        out.append(f"INVALID: {_counted(len(found.errors), 'error')}")
    out += [f"  error: {text}" for text in found.errors]
    out += [f"  warning: {text}" for text in found.warnings]
    return out


def validation_json(found: Validation) -> dict[str, object]:
    """Under upstream's keys; empty lists are left out, as there."""
    said: dict[str, object] = {"valid": found.valid}
    if found.errors:
        said["errors"] = list(found.errors)
    if found.warnings:
        said["warnings"] = list(found.warnings)
    return said | {
        "goal_count": found.goal_count,
        "version": found.version,
        "format": found.format,
        "directives": found.directives,
    }


def drift(found: Compared) -> list[Block]:
    """What moved, worst first; what did not is counted."""
    if found.before is None:
        return [f"{NO_BASELINE[:1].upper()}{NO_BASELINE[1:]}.", _score(found.after)]
    count = {delta: sum(one.delta is delta for one in found.moved) for delta in Delta}
    unmeasured = f", {count[Delta.UNMEASURED]} no longer measured" if count[Delta.UNMEASURED] else ""
    out: list[Block] = [
        f"{count[Delta.REGRESSED]} regressed, {count[Delta.IMPROVED]} improved{unmeasured}, {count[Delta.UNCHANGED]} unchanged"
    ]
    moved = [one for one in found.moved if one.delta is not Delta.UNCHANGED or one.value_delta]
    if moved:
        out.append(
            Table(
                ("goal", "delta", "before", "after", "value", "weight"),
                tuple(_drift_cells(one) for one in moved),
                right=frozenset({4, 5}),
                tones=tuple(_TONES[one.delta] for one in moved),
            )
        )
    out.append(f"score {score(found.before.goals):.1f} → {score(found.after.goals):.1f}, compared with {found.path}")
    return out


def drift_json(moved: Sequence[GoalDrift]) -> list[dict[str, object]]:
    """Under upstream's keys; `value_delta` only where both measurements have a number."""
    found: list[dict[str, object]] = []
    for one in moved:
        plain: dict[str, object] = {"goal_id": one.goal_id, "before": one.before, "after": one.after, "delta": str(one.delta)}
        if one.value_delta is not None:
            plain["value_delta"] = short(one.value_delta)
        found.append({**plain, "weight": one.weight})
    return found


def history(found: Past) -> list[Block]:
    """One line a measurement, newest last."""
    if not found.rows:
        return ["No measurement was kept here yet: ao goals measure"]
    if found.results:
        cells = tuple(
            (_when(row.timestamp), fitness_view.word(result), "" if result.value is None else f"{result.value:g}", row.git_sha)
            for row, result in zip(found.rows, found.results, strict=True)
        )
        return [Table(("when", "result", "value", "commit"), cells, right=frozenset({2}), tones=_tones(found.results))]
    rows = tuple(
        (_when(row.timestamp), f"{row.goals_passing}/{row.goals_total}", f"{row.score:.1f}", row.git_sha) for row in found.rows
    )
    return [Table(("when", "pass", "score", "commit"), rows, right=frozenset({1, 2}))]


def history_json(found: Past) -> list[dict[str, object]]:
    """Under upstream's keys; with a goal asked for, its `result` and `value` beside them."""
    rows: list[dict[str, object]] = [
        {
            "timestamp": row.timestamp,
            "goals_passing": row.goals_passing,
            "goals_total": row.goals_total,
            "score": short(row.score),
            "snapshot_path": row.snapshot_path,
            "git_sha": row.git_sha,
        }
        for row in found.rows
    ]
    for plain, result in zip(rows, found.results, strict=False):
        plain |= {"goal_id": result.goal_id, "result": str(result.outcome)}
        if result.value is not None:
            plain["value"] = short(result.value)
    return rows


def meta(found: Fitness) -> list[Block]:
    """The meta goals and whether they all pass."""
    if not found.goals:
        return ["There are no meta goals here (goals of `type: meta` in a GOALS.yaml)."]
    failing = sum(one.outcome is GoalOutcome.FAIL for one in found.goals)
    health = f"META-HEALTH: DEGRADED ({failing}/{len(found.goals)} failing)" if failing else "META-HEALTH: OK"
    return [*fitness_view.blocks(found), health]


def directives_json(found: Sequence[Directive]) -> list[dict[str, object]]:
    """Under upstream's keys; `gates` and `target` only where a directive has them."""
    plain: list[dict[str, object]] = []
    for one in found:
        said: dict[str, object] = {
            "number": one.number,
            "title": one.title,
            "description": one.description,
            "steer": one.steer,
        }
        if one.gates:
            said["gates"] = list(one.gates)
        if one.target is not None:
            said["target"] = str(one.target)
        plain.append(said)
    return plain


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _drift_cells(one: GoalDrift) -> tuple[str, ...]:
    value = "" if one.value_delta is None else f"{one.value_delta:+g}"
    return (one.goal_id, str(one.delta), one.before, one.after, value, str(one.weight))


def _when(timestamp: str) -> str:
    wall = wall_of(timestamp)
    return local(wall) if wall is not None else timestamp


def _tones(results: Sequence[GoalResult]) -> tuple[Tone, ...]:
    tones = {GoalOutcome.PASS: Tone.GOOD, GoalOutcome.FAIL: Tone.BAD, GoalOutcome.SKIP: Tone.DIM}
    return tuple(tones[result.outcome] for result in results)


def _score(found: Fitness) -> str:
    return f"score {score(found.goals):.1f} ({found.passing} of {len(found.goals)} pass)"
