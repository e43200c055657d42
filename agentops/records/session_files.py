"""What a session leaves for upstream's readers: `session-fitness-delta.md`, `session-summary.md`, `quality-trajectory.md`.

Their places and headings are upstream's (agentops 6.5); whole files, replaced at every session's end. Times are UTC.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from agentops.core.fitness import Fitness, GoalOutcome
from agentops.host import files
from agentops.host.faults import fault
from agentops.records import fitness_file, rows
from agentops.records.rows import CycleRow

MOST_ROWS = 500
_BANDS = ((90, "excellent"), (70, "good"), (50, "attention"), (0, "debt"))


@dataclass(frozen=True, slots=True)
class Delta:
    """How goals stand against a baseline: (id, before, after, word) in the order of the goals file, and the three sums."""

    rows: tuple[tuple[str, str, str, str], ...]
    improved: int
    regressed: int
    unchanged: int

    @property
    def line(self) -> str:
        return f"{self.improved} improved, {self.regressed} regressed, {self.unchanged} unchanged"


@dataclass(frozen=True, slots=True)
class QualityPoint:
    """Open findings at one moment of a session, by severity."""

    when: str
    high: int
    medium: int

    @property
    def score(self) -> int:
        """0 to 100, as upstream's quality mode counts."""
        return max(0, 100 - 10 * self.high - 3 * self.medium)

    @property
    def band(self) -> str:
        return next(word for least, word in _BANDS if self.score >= least)


def delta(baseline: Fitness | None, final: Fitness) -> Delta:
    """Only fail → pass and pass → fail count; a goal that the baseline does not have is `unknown` and unchanged."""
    told = []
    for goal in final.goals:
        was = baseline.of(goal.goal_id) if baseline is not None else None
        before = str(was.outcome) if was is not None else "unknown"
        word = "unchanged"
        if (before, goal.outcome) == ("fail", GoalOutcome.PASS):
            word = "improved"
        elif (before, goal.outcome) == ("pass", GoalOutcome.FAIL):
            word = "regressed"
        told.append((goal.goal_id, before, str(goal.outcome), word))
    words = [word for *_, word in told]
    return Delta(tuple(told), words.count("improved"), words.count("regressed"), words.count("unchanged"))


def fitness_delta(found: Delta) -> str:
    """The text of `session-fitness-delta.md`."""
    lines = ["# Session Fitness Trajectory", "", "| goal_id | baseline_result | final_result | delta |"]
    lines.append("|---------|-----------------|--------------|-------|")
    lines += [f"| {_cell(goal)} | {before} | {after} | {word} |" for goal, before, after, word in found.rows]
    lines += ["", f"**Summary:** {found.line}"]
    return "\n".join(lines) + "\n"


def summary(
    *, date: str, cycles: int, most: int | None, final: Fitness | None, history: Sequence[CycleRow], report: str, stop: str
) -> str:
    """The text of `session-summary.md`. `history`: this session's rows; `report`: where the whole report lies."""
    count = f"{cycles} of {most}" if most is not None else str(cycles)
    lines = [
        "# /evolve Session Summary",
        "",
        f"**Date:** {date}",
        f"**Cycles:** {count}",
        f"**Goals measured:** {len(final.goals) if final is not None else 0}",
        f"**Stop reason:** {stop}",
        "",
        "## Cycle History",
        "```json",
        *(rows.encode(row).decode() for row in history[-MOST_ROWS:]),
        "```",
        "",
        "## Final Fitness",
        "```json",
        fitness_file.encode(final).decode() if final is not None else "{}",
        "```",
        "",
        "## Post-Mortem",
        report or "(the report could not be written)",
        "",
        "## Next Steps",
        "- Run `ao report` to read what happened and what waits for you",
        "- Run `ao evolve` again to continue improving",
        "- Run `ao evolve --dry-run` to see what the next cycle would do without doing it",
        "- Create `~/.config/evolve/KILL` to prevent future runs",
        "- Create `.agents/evolve/STOP` for a one-time local stop",
    ]
    return "\n".join(lines) + "\n"


def quality_trajectory(points: Sequence[QualityPoint]) -> str:
    """The text of `quality-trajectory.md`. At least one point; the first is the session's start, the last its end."""
    lines = [
        "# Quality Trajectory",
        "",
        "| when | quality_score | band | high | medium |",
        "|------|---------------|------|------|--------|",
    ]
    lines += [f"| {_cell(one.when)} | {one.score} | {one.band} | {one.high} | {one.medium} |" for one in points]
    start, end = points[0].score, points[-1].score
    lines += ["", f"**Quality score:** {start} → {end} ({end - start:+d})"]
    lines.append(f"**Remaining unconsumed:** {points[-1].high} high, {points[-1].medium} medium")
    return "\n".join(lines) + "\n"


def write(path: str, text: str) -> None:
    """Replace one of them at once or not at all. Raises OSError; the old one then still stands."""
    fault("session_files.write.before")
    files.ensure_folder(os.path.dirname(path), mode=0o755)
    files.write_atomic(path, text.encode("utf-8", "backslashreplace"), mode=0o644, named=False)
    fault("session_files.write.after")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
