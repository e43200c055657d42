"""The end of a session outside the loop: files for others, follow-ups, the report in our state, and the owner's command.

Nothing here may cost the report or change how the session ended: whatever fails becomes a notice in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from agentops.app import end_hook, reports
from agentops.app.opening import Here
from agentops.core.errors import AoError, ExitCode
from agentops.core.fitness import Fitness
from agentops.core.stops import Scope
from agentops.evolve.own_files import DELTA, SUMMARY
from agentops.evolve.report import SessionReport
from agentops.policy.settings import Settings
from agentops.records import session_files
from agentops.records.times import utc_text
from agentops.tree.refs import read_head
from agentops.tree.story import story
from agentops.views import as_json

Act = Callable[[SessionReport], SessionReport]


class Ending:
    """What is done once the loop has closed its session. `scope`: a second signal ends even this."""

    def __init__(self, here: Here, settings: Settings, scope: Scope, code: ExitCode, baseline: Fitness | None = None) -> None:
        self._here = here
        self._settings = settings
        self._scope = scope
        self._code = code
        self._baseline = baseline

    def finish(self, report: SessionReport) -> SessionReport:
        """All of it, in order; the report with what was found out on the way."""
        report = _guarded("the commits could not be listed", self._commits, report)
        report = self._keep(report)
        kept = report
        report = _guarded("the session's files could not be written", self._session_files, report)
        report = _guarded("the command of --on-end could not be run", self._tell, report)
        return report if report == kept else self._keep(report)

    def _commits(self, report: SessionReport) -> SessionReport:
        repository = self._here.repository
        head = read_head(repository.git_dir, repository.common_dir)
        report = replace(report, repository=os.path.basename(repository.top), branch=head.branch or "", head_after=head.sha or "")
        git = self._here.git.within(self._scope)
        found = story(git, repository.git_dir, report.session_id, report.head_before, report.head_after)
        return replace(report, commits=found.commits, more_commits=found.more)

    def _session_files(self, report: SessionReport) -> SessionReport:
        top = self._here.repository.top
        if report.after is not None:
            delta = session_files.delta(self._baseline or report.before, report.after)
            session_files.write(os.path.join(top, DELTA), session_files.fitness_delta(delta))
        text = session_files.summary(
            date=utc_text(report.ended),
            cycles=report.cycles,
            most=self._settings.max_cycles,
            final=report.after,
            history=report.rows,
            report=report.page,
            stop=str(report.stop.reason),
        )
        session_files.write(os.path.join(top, SUMMARY), text)
        return report

    def _keep(self, report: SessionReport) -> SessionReport:
        """In our state folder, where it is found also when nobody could read the screen."""
        from agentops.views.page import html  # Jinja2 is for the end alone

        run = report.run_id
        told = replace(report, page=reports.page_path(self._here, run))
        try:
            reports.write(reports.page_path(self._here, run), html(told))
            reports.write(reports.json_path(self._here, run), as_json.report(told, self._code))
            reports.forget_old(self._here)
        except OSError as error:
            return replace(report, page="", notices=(*report.notices, f"the report could not be kept: {error}"))
        return told

    def _tell(self, report: SessionReport) -> SessionReport:
        argv = self._settings.on_end
        if not argv:
            return report
        told = as_json.report(report, self._code)
        wrong = end_hook.tell(argv, told, report.stop.reason, self._here, self._scope, report.run_id)
        return report if wrong is None else replace(report, notices=(*report.notices, wrong))


def _guarded(what: str, act: Act, report: SessionReport) -> SessionReport:
    try:
        return act(report)
    except (AoError, OSError) as error:
        return replace(report, notices=(*report.notices, f"{what}: {error}"))
