"""`ao goals drift`, `history`, `export` and `meta`: measurements held against earlier ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from agentops.app.goal_files import Opened, find, open_goals
from agentops.app.measuring import keep, measure_opened
from agentops.core.errors import UsageError
from agentops.core.fitness import Fitness, GoalResult, GoalType
from agentops.goals.checks import Watch
from agentops.goals.drift import Compared, compare
from agentops.records import fitness_file, goal_history, snapshots
from agentops.records.goal_history import HistoryRow, Past
from agentops.records.times import utc_text, wall_of

Say = Callable[[str], None]
LAST, ERA = "last", "era"


def drift(
    cwd: str, env: Mapping[str, str], *, file: str | None, timeout: float, against: str, watch: Watch, on_problem: Say
) -> Compared:
    """Measure now and compare. The measurement is kept, so that the next drift is told from here."""
    opened = open_goals(cwd, env, file)
    before, path = _earlier(opened, against, on_problem)
    after = measure_opened(opened, env, timeout=timeout, watch=watch)
    keep(opened, after, env, on_problem)
    if before is None:
        return Compared(None, after)
    return Compared(before, after, compare(before, after), os.path.relpath(path, cwd))


def export(cwd: str, env: Mapping[str, str], *, file: str | None, timeout: float, watch: Watch, on_problem: Say) -> Fitness:
    """The last measurement; a fresh one, which is kept, when there is none."""
    opened = open_goals(cwd, env, file)
    before, _ = _earlier(opened, LAST, on_problem)
    if before is not None:
        return before
    found = measure_opened(opened, env, timeout=timeout, watch=watch)
    keep(opened, found, env, on_problem)
    return found


def meta(cwd: str, env: Mapping[str, str], *, file: str | None, timeout: float, watch: Watch, on_problem: Say) -> Fitness:
    """The meta goals alone, measured. Nothing is kept: it would say that the others are gone."""
    opened = open_goals(cwd, env, file)
    wanted = [goal.id for goal in opened.document.goals if goal.type is GoalType.META]
    if not wanted:
        return Fitness("", "")
    return measure_opened(opened, env, only=wanted, timeout=timeout, watch=watch)


def history(cwd: str, env: Mapping[str, str], *, goal: str | None, since: date | None) -> Past:
    """The measurements that were kept here. With a goal, those whose snapshot is still there and knows it."""
    _, here = find(cwd, env, None)
    top = here.repository.top if here else cwd
    found = goal_history.read(top)
    rows = found.rows
    if since is not None:
        # compared as UTC text: that is what the rows hold, and a day means the same wherever they were written
        first = utc_text(datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp())
        rows = tuple(row for row in rows if _utc(row.timestamp) >= first)
    if goal is None:
        return Past(rows, found.bad_lines)
    seen = [(row, result) for row in rows if (result := _result(top, row, goal)) is not None]
    return Past(tuple(row for row, _ in seen), found.bad_lines, tuple(result for _, result in seen))


def _utc(timestamp: str) -> str:
    wall = wall_of(timestamp)
    return utc_text(wall) if wall is not None else timestamp


def _result(top: str, row: HistoryRow, goal: str) -> GoalResult | None:
    snapshot = fitness_file.read(os.path.join(top, row.snapshot_path)) if row.snapshot_path else None
    result = snapshot.of(goal) if snapshot else None
    return replace(result, output="") if result else None


def _earlier(opened: Opened, against: str, on_problem: Say) -> tuple[Fitness | None, str]:
    """What to compare with, and where it was read. Upstream takes a torn snapshot for none, without a word."""
    if against not in (LAST, ERA):
        path = os.path.join(opened.cwd, against)
        named = fitness_file.read(path)
        if named is None:
            raise UsageError(f"{path} is no snapshot of goals", mend="ao goals drift --against last")
        return named, path
    if against == ERA:
        found = snapshots.latest(snapshots.era_folder(opened.top, opened.document.raw))
    else:
        found = snapshots.latest(os.path.join(opened.top, snapshots.MEASURED), goals_file=opened.name)
    for path in found.unreadable:
        on_problem(f"{path} cannot be read as a snapshot and is passed over")
    return (found.snapshot.fitness, found.snapshot.path) if found.snapshot else (None, "")
