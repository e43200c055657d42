"""The report of a session: first what a person must look at, then what was done, then where things stand."""

from __future__ import annotations

from collections.abc import Iterator

from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import ReasonKind, Result, reason_kind
from agentops.core.stops import StopReason
from agentops.evolve.report import Pause, SessionReport
from agentops.records.rows import CycleRow
from agentops.tree.story import Commit
from agentops.views.blocks import Block, Table, Tone, clipped
from agentops.views.times import duration, span

TAKEN_BACK = "taken back"
MOST_PAUSES = 8
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
    return [
        *_head(report, now),
        *_attention(report),
        *_commits(report),
        *_cycles(report),
        *_goals(report),
        *_follow_ups(report),
        *_foot(report, now),
    ]


def kept(row: CycleRow) -> bool:
    """Whether a row's work is in the branch."""
    return row.result in (Result.IMPROVED, Result.HARVESTED) or reason_kind(row.reason) is ReasonKind.PARTIAL


def way_back(row: CycleRow) -> str:
    """What became of a cycle's work."""
    if kept(row):
        return f"kept {row.sha[:9]}" if row.sha else "kept"
    if (
        reason_kind(row.reason) in (ReasonKind.IDLE, ReasonKind.NO_OP, ReasonKind.ALREADY_DONE)
        or row.result == Result.QUARANTINED
    ):
        return "nothing to keep"
    if reason_kind(row.reason) is ReasonKind.CONTESTED or row.contested:
        return "left as it is"
    if row.files_changed == 0:
        return "no change"
    return TAKEN_BACK


BECAUSE = {
    ReasonKind.GOAL: "the goal {} passed before and fails with it",
    ReasonKind.COMMAND: "the gate command {} fails with it",
    ReasonKind.TAMPERED: "it changed what judges it: {}",
    ReasonKind.TARGET_UNMOVED: "the target did not move",
    ReasonKind.NOT_DONE: "the worker itself did not call it done",
    ReasonKind.SCOPE_ESCAPE: "the work lies outside the allowed scope",
    ReasonKind.CONTESTED: "someone else changed the same files",
    ReasonKind.INTERRUPTED: "it was interrupted; that counts against nobody",
    ReasonKind.GATE_ERROR: "a check could not do its work, so nothing was proven",
    ReasonKind.AGENT: "the agent ended as {}",
    ReasonKind.UNGATED: "nothing could check it",
}
"""Why work was taken back, for people; `{}` is the reason's detail."""


def because(row: CycleRow) -> str:
    """Why a cycle's work was taken back, in a sentence."""
    kind = reason_kind(row.reason)
    said = BECAUSE.get(kind) if kind is not None else None
    return said.format((row.reason or "").partition(":")[2]) if said else row.reason or "no reason was written"


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


def counts(report: SessionReport) -> str:
    """Upstream's line of the end (agentops 6.5)."""
    return (
        f"Cycles: {report.cycles} | Productive: {report.productive} | "
        f"Regressed: {report.regressed} (reverted) | Idle: {report.idle}"
    )


def _head(report: SessionReport, now: float) -> Iterator[Block]:
    if report.session_id:
        where = f" · {report.repository}" + (f" on {report.branch}" if report.branch else "") if report.repository else ""
        times = f"{span(report.started, report.ended, now)} · worked {duration(report.worked)}"
        yield f"Session {report.session_id}{where} · {times}"
    yield stop_line(report)
    if report.session_id:
        yield counts(report)


def _attention(report: SessionReport) -> Iterator[Block]:
    if not report.attention:
        return
    yield ""
    yield "Look at this first"
    for one in report.attention:
        yield f"  ! {one.what}"
        if one.command:
            yield f"      {one.command}"


def _commits(report: SessionReport) -> Iterator[Block]:
    """What is in the branch now that was not there before."""
    if not report.commits:
        return
    work = [one for one in report.commits if not is_books(one)]
    if not work:
        return
    yield ""
    yield "In the branch now"
    if report.more_commits:
        yield f"  {report.more_commits} older commits: git log {report.head_before[:9]}.."
    yield Table(
        ("commit", "by", "what", "lines"),
        tuple((one.sha[:9], commit_author(one), clipped(one.title, 72), _lines(one)) for one in work),
        tones=tuple(Tone.GOOD if one.cycle is not None else Tone.PLAIN for one in work),
    )


def is_books(one: Commit) -> bool:
    """Whether a commit only holds the ledger's row of a cycle."""
    return one.cycle is not None and one.title.startswith(f"evolve: cycle {one.cycle} -- ")


def commit_author(one: Commit) -> str:
    """`cycle 3`, or the name of the person who made it meanwhile."""
    return f"cycle {one.cycle}" if one.cycle is not None else clipped(one.author, 24)


def _lines(one: Commit) -> str:
    return f"+{one.added} -{one.deleted}" if one.files else ""


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
                yield f"  {goal.goal_id}: {outcome(was)} → {outcome(goal)}"
        failing = [goal.goal_id for goal in after.goals if goal.outcome is GoalOutcome.FAIL]
        if failing:
            yield f"  still failing: {', '.join(failing)}"


def _count(fitness: Fitness | None) -> str:
    return "not measured" if fitness is None else f"{fitness.passing} of {len(fitness.goals)}"


def outcome(goal: GoalResult | None) -> str:
    """How a goal stood, with its number where it has one."""
    if goal is None:
        return "not there"
    word = "broken" if goal.broken else str(goal.outcome)
    return word if goal.value is None else f"{word} {goal.value:g}"


def _follow_ups(report: SessionReport) -> Iterator[Block]:
    if not report.follow_ups:
        return
    yield ""
    yield "Worth doing next"
    for one in report.follow_ups:
        yield f"  {one.title}" + (" (needs a person)" if one.for_person else "")
        yield f"      {clipped(one.evidence, 160)}"


def costs(report: SessionReport) -> list[str]:
    """What is known of the price, and what is not."""
    usage, told = report.usage, []
    if usage.tokens_in is not None or usage.tokens_out is not None:
        told.append(f"tokens {usage.tokens_in or 0} in, {usage.tokens_out or 0} out")
    if usage.usd is not None:
        told.append(f"money {'at least ' if report.unknown_costs else ''}${usage.usd:.2f}")
    if report.unknown_costs:
        told.append(f"what the agent cost is not known for {report.unknown_costs} cycle{'s'[: report.unknown_costs != 1]}")
    return told


def paused(report: SessionReport) -> float:
    """Seconds of the session's pauses."""
    return sum(max(0.0, one.ended - one.began) for one in report.pauses)


def _foot(report: SessionReport, now: float) -> Iterator[Block]:
    facts = costs(report)
    if report.level:
        facts.append(f"sandbox {report.level}")
    if facts or report.pauses:
        yield ""
    if facts:
        yield " · ".join(facts)
    for one in report.pauses[:MOST_PAUSES]:
        yield pause_line(one, now)
    if len(report.pauses) > MOST_PAUSES:
        yield f"and {len(report.pauses) - MOST_PAUSES} more pauses, {duration(paused(report))} in all"
    for notice in report.notices:
        yield f"note: {clipped(notice, 200)}"
    if follow := see_more(report):
        yield ""
        yield "See more: " + "   ".join(follow)
    if report.page:
        yield f"Report:   {report.page}"


def pause_line(one: Pause, now: float) -> str:
    """`paused 02:10–03:40 (90 min) in cycle 7: a limit of the agent`."""
    where = f" in cycle {one.cycle}" if one.cycle is not None else ""
    return f"paused {span(one.began, one.ended, now)} ({duration(one.ended - one.began)}){where}: {one.why}"


def see_more(report: SessionReport) -> list[str]:
    """Commands that show more of the same."""
    follow: list[str] = []
    if report.rows:
        follow.append("ao history")
        worked = [row.cycle for row in report.rows if row.files_changed]
        follow += [f"ao diff {worked[-1]}"] if worked else []
    if report.head_before and report.head_after and report.head_before != report.head_after:
        follow = [f"git log {report.head_before[:9]}..{report.head_after[:9]}", *follow, "ao undo"]
    return follow
