"""The report of a session as one HTML file: no script, nothing loaded, readable on a phone, in the dark and on paper."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from agentops import __version__
from agentops.core.fitness import Fitness, GoalResult
from agentops.core.judging import Result
from agentops.evolve.report import SessionReport
from agentops.records.rows import CycleRow
from agentops.tree.story import Commit
from agentops.views import report as words
from agentops.views.blocks import clipped, printable
from agentops.views.picture import picture
from agentops.views.times import duration, local, span

_TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
MOST_TRIES = 6
"""Tries of one target that are told one by one."""
_TONES = {"good": "good", "bad": "bad"}


def html(report: SessionReport) -> str:
    """The whole page. Times are local; everything that a file or an agent named is escaped."""
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    return made.get_template("report.html.j2").render(_facts(report))


def _shown(value: object) -> object:
    """No control character reaches the page; the picture is ours and stays as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _facts(report: SessionReport) -> dict[str, object]:
    work = [one for one in report.commits if not words.is_books(one)]
    where = report.repository or "this repository"
    return {
        "title": f"{where}: {report.productive} of {report.cycles} cycles helped" if report.cycles else f"{where}: no cycle ran",
        "when": _when(report),
        "stop": words.stop_line(report),
        "attention": report.attention,
        "sums": _sums(report),
        "work": [_commit(one) for one in reversed(work)],
        "books": len(report.commits) - len(work),
        "more_commits": report.more_commits,
        "taken_back": _taken_back(report.rows),
        "goals": _goals(report.before, report.after),
        "picture": picture(report.trajectory),
        "follow_ups": report.follow_ups,
        "declined": report.declined,
        "rows": [_row(row) for row in report.rows],
        "costs": words.costs(report) or ["No agent was paid."],
        "pauses": [words.pause_line(one, report.ended) for one in report.pauses],
        "notices": report.notices,
        "session": report.session_id,
        "commands": words.see_more(report),
        "version": __version__,
    }


def _when(report: SessionReport) -> str:
    on = f" on {report.branch}" if report.branch else ""
    day = local(report.started)
    return f"{day.rsplit(' ', 1)[0]}, {span(report.started, report.ended, report.started)}{on} · worked {duration(report.worked)}"


def _sums(report: SessionReport) -> list[tuple[str, str]]:
    told = [("cycles", str(report.cycles)), ("helped", str(report.productive)), ("made worse, reverted", str(report.regressed))]
    if report.idle:
        told.append(("nothing to do", str(report.idle)))
    if report.after is not None:
        before = str(report.before.passing) if report.before is not None else "?"
        told.append(("goals passing", f"{before} → {report.after.passing} of {len(report.after.goals)}"))
    if report.pauses:
        told.append(("paused", duration(words.paused(report))))
    if report.usage.usd is not None:
        told.append(("money", f"{'≥ ' if report.unknown_costs else ''}${report.usage.usd:.2f}"))
    return told


def _commit(one: Commit) -> Mapping[str, object]:
    return {
        "cycle": one.cycle,
        "author": words.commit_author(one),
        "title": clipped(one.title, 200),
        "files": one.files,
        "added": one.added,
        "deleted": one.deleted,
        "sha": one.sha[:9],
    }


def _taken_back(rows: Sequence[CycleRow]) -> list[Mapping[str, object]]:
    """What was tried in vain, one entry a target: twenty tries of one thing are one thing to read."""
    by_target: dict[str, list[CycleRow]] = {}
    for row in rows:
        if words.way_back(row) == words.TAKEN_BACK:
            by_target.setdefault(row.target, []).append(row)
    return [
        {
            "target": clipped(tries[-1].title or target, 160),
            "tries": [
                {"cycle": row.cycle, "why": words.because(row), "worse": row.result == Result.REGRESSED}
                for row in tries[-MOST_TRIES:]
            ],
            "more": max(0, len(tries) - MOST_TRIES),
            "took": duration(sum(row.seconds or 0.0 for row in tries)),
        }
        for target, tries in by_target.items()
    ]


def _row(row: CycleRow) -> Mapping[str, object]:
    return {
        "cycle": row.cycle,
        "result": str(row.result),
        "tone": _TONES.get(str(words.tone(row)), "soft"),
        "target": clipped(row.target, 60),
        "why": row.reason or "",
        "by": row.agent or row.worker or "",
        "took": duration(row.seconds) if row.seconds is not None else "",
        "work": words.way_back(row),
    }


def _goals(before: Fitness | None, after: Fitness | None) -> list[Mapping[str, object]]:
    last = after or before
    if last is None:
        return []
    out: list[Mapping[str, object]] = []
    for goal in last.goals:
        was = before.of(goal.goal_id) if before is not None else None
        out.append(
            {
                "name": goal.goal_id,
                "before": words.outcome(was),
                "before_tone": _goal_tone(was),
                "after": words.outcome(goal),
                "after_tone": _goal_tone(goal),
                "weight": goal.weight,
            }
        )
    return out


def _goal_tone(goal: GoalResult | None) -> str:
    return {"pass": "good", "fail": "bad"}.get(str(goal.outcome), "soft") if goal is not None else "soft"
