"""Measured goals as a table."""

from __future__ import annotations

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.records.fitness_file import score
from agentops.views.blocks import Block, Table, Tone, clipped
from agentops.views.times import duration

_TONES = {GoalOutcome.PASS: Tone.GOOD, GoalOutcome.FAIL: Tone.BAD, GoalOutcome.SKIP: Tone.DIM}


def blocks(fitness: Fitness) -> list[Block]:
    """One line a goal in the file's order, then the sum. Failing goals show the last line of what their check said."""
    if not fitness.goals:
        return ["There are no goals to measure."]
    table = Table(
        ("goal", "result", "weight", "took", "said"),
        tuple((goal.goal_id, word(goal), str(goal.weight), duration(goal.seconds), _said(goal)) for goal in fitness.goals),
        right=frozenset({2, 3}),
        tones=tuple(_TONES[goal.outcome] for goal in fitness.goals),
    )
    failing = sum(goal.outcome is GoalOutcome.FAIL for goal in fitness.goals)
    skipped = len(fitness.goals) - fitness.passing - failing
    out: list[Block] = [
        table,
        f"{fitness.passing} of {len(fitness.goals)} pass, {failing} fail, {skipped} skipped · score {score(fitness.goals):.1f}",
    ]
    if fitness.mutating:
        out.append(f"note: the checks themselves changed {', '.join(fitness.mutating[:5])}")
    return out


def word(goal: GoalResult) -> str:
    """`pass`, `fail`, `skip`, or what kept the check from being either."""
    if goal.broken:
        return "broken"
    if goal.timed_out:
        return "skip (time)"
    if goal.out_of_memory:
        return "fail (memory)"
    if goal.not_started:
        return "skip (not started)"
    return str(goal.outcome)


def _said(goal: GoalResult) -> str:
    if goal.outcome is GoalOutcome.PASS:
        return "" if goal.value is None else f"{goal.value:g}"
    lines = goal.output.strip().splitlines()
    return clipped(lines[-1], 80) if lines else ""
