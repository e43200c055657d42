"""The demo told to somebody who sees the product for the first time: what is there, what happened and why, what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentops.evolve.report import SessionReport
from agentops.records.rows import CycleRow
from agentops.views.blocks import Block, Table, Tone
from agentops.views.times import duration

_THERE = Table(
    ("In it", "What will come of it"),
    (
        ("an item that last week's session left in its queue", "comes first, and brings its own check"),
        ("a lint finding, an outdated snapshot", "mended by the commands that the goals name"),
        ("a fix that breaks the tests", "tried, caught and taken back"),
        ("a goal that every commit makes fail again", "mended, then left alone: it only goes round in circles"),
        ("release notes, a missing feature, a directive", "left alone and reported: no command can do that"),
    ),
)

_TOLD: Mapping[tuple[str, str], str] = {
    ("build-number", "improved"): "BUILD was wrong, its fix mended it – but the commit that keeps it makes it wrong again.",
    ("build-number", "quarantined"): "build-number was mended and failed again for the third time: it is left alone from now on.",
    ("lint", "improved"): "an import that nothing used was removed, and the tests still pass.",
    ("usage-snapshot", "improved"): "help.txt was written anew from what --help prints.",
    ("no-debugging", "regressed"): "removing the debugging line broke the tests, so all of it was taken back.",
}
_QUEUED = "the item from the queue: its fix ran, its own check passed, it is done."


def before(folder: str, cycles: int) -> tuple[Block, ...]:
    """What the person is about to see."""
    return (
        f"Here is a small project with six commits and seven goals: {folder}",
        "",
        _THERE,
        "",
        f"Nobody answers questions from here on. $ ao evolve --max-cycles={cycles}",
        "",
    )


def after(report: SessionReport, folder: str, ao: str, *, kept: bool) -> tuple[Block, ...]:
    """What happened, cycle by cycle in words, and what to try next. `ao`: how the command is typed here."""
    if not report.rows:
        return ()  # a stop file was there; the report has said so
    took = duration(report.ended - report.started)
    told: list[Block] = ["", f"What you have seen, in {took}", *_story(report), ""]
    if kept:
        told += [_three(report, folder, ao), ""]
    told.append(f"In a repository of your own: {ao} goals init, then {ao} evolve --dry-run (writes nothing)")
    return tuple(told)


def _story(report: SessionReport) -> Iterator[Block]:
    told = [(row, _words(row)) for row in report.rows]
    tones = {"improved": Tone.GOOD, "regressed": Tone.BAD}
    rows = tuple((str(row.cycle), words) for row, words in told if words)
    yield Table(
        ("cycle", ""),
        rows,
        right=frozenset({0}),
        tones=tuple(tones.get(str(row.result), Tone.DIM) for row, words in told if words),
    )
    waiting = tuple(dict.fromkeys(one.key for one in (*report.declined, *report.resting)))
    if waiting:
        yield f"Left for you or for an agent: {', '.join(waiting)}"
    if report.before is not None and report.after is not None:
        now, then = report.after, report.before
        yield f"{now.passing} of {len(now.goals)} goals pass, {then.passing} did before; nothing got worse."


def _words(row: CycleRow) -> str:
    if row.source == "harvested" and row.result == "improved":
        return _QUEUED
    known = _TOLD.get((row.target, str(row.result)))
    if known or not row.source:
        return known or ""
    return f"{row.target}: {row.result}"


def _three(report: SessionReport, folder: str, ao: str) -> Table:
    back = next((row.cycle for row in report.rows if row.result == "regressed"), None)
    shown = back if back is not None else max((row.cycle for row in report.rows), default=1)
    what = "what was tried and taken back" if back is not None else "what the last cycle changed"
    rows = (
        (f"cd {folder}", "where it happened; git log shows how"),
        (f"{ao} diff {shown}", what),
        (f"{ao} evolve --agent claude", "let a coding agent do what no command could (or codex, gemini, opencode, qwen)"),
        (f"{ao} undo", "all of it put back to where it was before the session"),
    )
    return Table(("Try next", ""), rows)
