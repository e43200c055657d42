"""The report of a session: first what a person must look at, then what was done, then where things stand."""

from __future__ import annotations

from collections.abc import Iterator

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import ReasonKind, Result
from agentops.core.stops import StopReason
from agentops.evolve.report import SessionReport
from agentops.records.rows import CycleRow
from agentops.views.blocks import Block, Table, Tone, clipped
from agentops.views.times import duration, span

TAKEN_BACK = "taken back"
STOPPED = {
    StopReason.KILL_SWITCH: "a stop file was found",
    StopReason.MAX_CYCLES: "the number of cycles asked for is done",
    StopReason.BUDGET: "the budget is used up",
    StopReason.STAGNATION: "there is nothing left that it could do",
    StopReason.CIRCUIT_BREAKER: "a breaker ended it",
    StopReason.CONTESTED: "someone else changed the same files",
    StopReason.NO_AGENT: "the agent that was named is not there",
    StopReason.AUTH: "the agent is not logged in",
    StopReason.ENVIRONMENT: "it could not work here any longer",
    StopReason.DISK_FULL: "the disk is full",
    StopReason.SIGNAL: "a signal ended it",
    StopReason.DEADLINE: "a deadline passed",
}
"""Why a session ended, for people."""


def blocks(report: SessionReport, now: float) -> list[Block]:
    """The whole report. `now`: seconds since the epoch, to leave out today's date."""
    return [*_head(report, now), *_attention(report), *_cycles(report), *_goals(report), *_foot(report)]


def row_reason(row: CycleRow) -> ReasonKind | None:
    """The kind in a row's reason (`goal:fast` is `goal`); None for words that are not ours."""
    word = (row.reason or "").partition(":")[0]
    try:
        return ReasonKind(word)
    except ValueError:
        return None


def kept(row: CycleRow) -> bool:
    """Whether a row's work is in the branch."""
    return row.result in (Result.IMPROVED, Result.HARVESTED) or row_reason(row) is ReasonKind.PARTIAL


def way_back(row: CycleRow) -> str:
    """What became of a cycle's work."""
    if kept(row):
        return f"kept {row.sha[:9]}" if row.sha else "kept"
    if row_reason(row) in (ReasonKind.IDLE, ReasonKind.NO_OP, ReasonKind.ALREADY_DONE) or row.result == Result.QUARANTINED:
        return "nothing to keep"
    if row_reason(row) is ReasonKind.CONTESTED or row.contested:
        return "left as it is"
    if row.files_changed == 0:
        return "no change"
    return TAKEN_BACK


def how_to_return(rows: tuple[CycleRow, ...]) -> Iterator[str]:
    """One line for all the work that was taken back, if there is any: it is never gone."""
    taken = [row.cycle for row in rows if way_back(row) == TAKEN_BACK]
    if taken:
        yield f"What was taken back is kept: ao diff {taken[-1]} shows it, ao restore {taken[-1]} puts it on a branch."


def tone(row: CycleRow) -> Tone:
    """How a row looks."""
    if row.result in (Result.IMPROVED, Result.HARVESTED):
        return Tone.GOOD
    return Tone.BAD if row.result == Result.REGRESSED or row.contested else Tone.DIM


def cycle_table(rows: tuple[CycleRow, ...]) -> Table:
    """One line a cycle, oldest first."""
    return Table(
        ("cycle", "result", "target", "why", "by", "took", "work"),
        tuple(
            (
                str(row.cycle),
                str(row.result),
                clipped(row.target, 40),
                row.reason or "",
                row.worker or "",
                duration(row.seconds) if row.seconds is not None else "",
                way_back(row),
            )
            for row in rows
        ),
        right=frozenset({0, 5}),
        tones=tuple(tone(row) for row in rows),
    )


def stop_line(report: SessionReport) -> str:
    """Why it ended, in a sentence."""
    said = STOPPED[report.stop.reason]
    detail = report.stop.detail.strip()
    return f"Ended: {said} ({report.stop.reason})" + (f": {clipped(detail, 600)}" if detail else "")


def _head(report: SessionReport, now: float) -> Iterator[Block]:
    if report.session_id:
        yield f"Session {report.session_id} · {span(report.started, report.ended, now)} · worked {duration(report.worked)}"
    yield stop_line(report)


def _attention(report: SessionReport) -> Iterator[Block]:
    if not report.attention:
        return
    yield ""
    yield "Look at this first"
    for one in report.attention:
        yield f"  ! {one.what}"
        if one.command:
            yield f"      {one.command}"


def _cycles(report: SessionReport) -> Iterator[Block]:
    yield ""
    if not report.rows:
        yield "No cycle ran." if report.session_id else "Nothing was done."
    else:
        yield cycle_table(report.rows)
        yield from how_to_return(report.rows)
    if report.declined:
        yield ""
        yield "No worker could take"
        for passed in report.declined:
            yield f"  {passed.key}: {clipped(passed.why, 160)}"


def _goals(report: SessionReport) -> Iterator[Block]:
    before, after = report.before, report.after
    if before is None and after is None:
        return
    yield ""
    yield f"Goals passing: {_count(before)} → {_count(after)}"
    if before is not None and after is not None:
        for goal in after.goals:
            was = before.of(goal.goal_id)
            if was is None or (was.outcome, was.broken, was.value) != (goal.outcome, goal.broken, goal.value):
                yield f"  {goal.goal_id}: {_outcome(was)} → {_outcome(goal)}"
        failing = [goal.goal_id for goal in after.goals if goal.outcome is GoalOutcome.FAIL]
        if failing:
            yield f"  still failing: {', '.join(failing)}"


def _count(fitness: Fitness | None) -> str:
    return "not measured" if fitness is None else f"{fitness.passing} of {len(fitness.goals)}"


def _outcome(goal: GoalResult | None) -> str:
    if goal is None:
        return "not there"
    word = "broken" if goal.broken else str(goal.outcome)
    return word if goal.value is None else f"{word} {goal.value:g}"


def _foot(report: SessionReport) -> Iterator[Block]:
    usage = report.usage
    facts = []
    if usage.tokens_in is not None or usage.tokens_out is not None:
        facts.append(f"tokens {usage.tokens_in or 0} in, {usage.tokens_out or 0} out")
    if usage.usd is not None:
        facts.append(f"money at least ${usage.usd:.2f}")
    if any(row.agent for row in report.rows) and not facts:
        facts.append("what the agent cost is not known")
    if report.level:
        facts.append(f"sandbox {report.level}")
    if facts:
        yield ""
        yield " · ".join(facts)
    for notice in report.notices:
        yield f"note: {clipped(notice, 200)}"
    follow = []
    if report.head_before and report.head_after and report.head_before != report.head_after:
        follow.append(f"git log {report.head_before[:9]}..{report.head_after[:9]}")
    if report.rows:
        follow += ["ao history", f"ao diff {report.rows[-1].cycle}"]
    if report.head_before != report.head_after:
        follow.append("ao undo")
    if follow:
        yield ""
        yield "See more: " + "   ".join(follow)
