"""The end of a session outside the loop: files for others, follow-ups, the report in our state, and the owner's command.

Nothing here may cost the report or change how the session ended: whatever fails becomes a notice in it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from agentops.app import end_hook, reports
from agentops.app.harvest import harvest, quality
from agentops.app.loop_telemetry import FLAKES
from agentops.app.opening import Here
from agentops.app.queue_names import queue_path
from agentops.core.errors import AoError, ExitCode
from agentops.core.fitness import Fitness
from agentops.core.judging import FindingKind
from agentops.core.stops import Scope
from agentops.evolve.close import with_earlier_rows
from agentops.evolve.own_files import DELTA, LEDGER, QUALITY, SUMMARY
from agentops.evolve.post_mortem import noise
from agentops.evolve.report import FollowUp, SessionReport
from agentops.evolve.tally import Trouble
from agentops.policy.settings import Settings
from agentops.records import flakes, rows, session_files, snapshots
from agentops.records.queue_file import QueueFile
from agentops.records.session_files import QualityPoint
from agentops.records.times import utc_text
from agentops.tree.naming import repository_name
from agentops.tree.refs import read_head
from agentops.tree.story import story
from agentops.views import as_json, events
from agentops.views.earlier_starts import with_earlier_events

LEDGER_BYTES = 1024 * 1024
"""How far back an earlier start of the session is looked for: some two thousand rows."""
FLAKY_DAYS = 30.0
Act = Callable[[SessionReport], SessionReport]


@dataclass(frozen=True, slots=True)
class Began:
    """What the end compares with and needs to know of the loop. `goals_file`: its bytes, None without one; `quality`: the
    queue's findings at the start. Not `settled`: a cycle waits for a person's word, and until then no item is written.
    """

    quality: QualityPoint | None = None
    goals_file: bytes | None = None
    settled: bool = True


def quality_now(here: Here, when: str) -> QualityPoint | None:
    """A queue that cannot be read has no score."""
    try:
        return quality(QueueFile(queue_path(here.repository.top)), when)
    except (AoError, OSError):
        return None


class Ending:
    """What is done once the loop has closed its session. `scope`: a second signal ends even this."""

    def __init__(self, here: Here, settings: Settings, scope: Scope, code: ExitCode, began: Began) -> None:
        self._here = here
        self._settings = settings
        self._scope = scope
        self._code = code
        self._began = began

    def finish(self, report: SessionReport) -> SessionReport:
        """All of it, in order; the report with what was found out on the way."""
        report = _guarded("earlier starts of the session could not be read", self._earlier, report)
        report = _guarded("the commits could not be listed", self._commits, report)
        if self._began.settled:
            report = _guarded("the follow-ups could not be queued", self._follow_ups, report)
        report = self._keep(report)
        kept = report
        report = _guarded("the session's files could not be written", self._session_files, report)
        report = _guarded("the command of --on-end could not be run", self._tell, report)
        return report if report == kept else self._keep(report)

    def _earlier(self, report: SessionReport) -> SessionReport:
        """A session lasts over crashes, and so does its report: rows that earlier starts wrote come first."""
        known = {row.cycle for row in report.rows}
        seen = rows.tail(os.path.join(self._here.repository.top, LEDGER), LEDGER_BYTES).rows
        found = tuple(row for row in seen if row.session_id == report.session_id and row.cycle not in known)
        return with_earlier_events(with_earlier_rows(report, found), events.tail(self._here.events))

    def _commits(self, report: SessionReport) -> SessionReport:
        repository = self._here.repository
        head = read_head(repository.git_dir, repository.common_dir)
        report = replace(report, repository=os.path.basename(repository.top), branch=head.branch or "", head_after=head.sha or "")
        git = self._here.git.within(self._scope)
        found = story(git, repository.git_dir, report.session_id, report.head_before, report.head_after)
        return replace(report, commits=found.commits, more_commits=found.more)

    def _follow_ups(self, report: SessionReport) -> SessionReport:
        """Those that wait in the queue already are not told again every morning."""
        report = replace(report, follow_ups=(*report.follow_ups, *self._flaky_for_long(report)))
        repository = self._here.repository
        file, repo = QueueFile(queue_path(repository.top)), repository_name(repository.top, repository.common_dir)
        fresh = harvest(file, report.follow_ups, epic=f"evolve-{report.session_id}", wall=report.ended, repo=repo)
        return replace(report, follow_ups=fresh)

    def _flaky_for_long(self, report: SessionReport) -> Iterable[FollowUp]:
        """Checks that were flaky in this session and in an earlier cycle as well, which it may not have seen itself."""
        seen = flakes.since(os.path.join(self._here.state, FLAKES), utc_text(report.ended - FLAKY_DAYS * 86_400.0))
        cycles = {row.cycle for row in report.rows}
        now = {one.subject for one in seen if one.cycle in cycles}
        known = {one.key for one in report.follow_ups}
        again = [
            Trouble(FindingKind.FLAKY, one.subject, one.detail, one.cycle)
            for one in seen
            if one.kind == FindingKind.FLAKY and one.subject in now
        ]
        return [one for one in noise(again) if one.key not in known]

    def _session_files(self, report: SessionReport) -> SessionReport:
        top = self._here.repository.top
        if report.after is not None:
            delta = session_files.delta(self._baseline() or report.before, report.after)
            session_files.write(os.path.join(top, DELTA), session_files.fitness_delta(delta))
        at_end = quality_now(self._here, "session end")
        if at_end is not None:
            points = (self._began.quality or replace(at_end, when="session start"), at_end)
            session_files.write(os.path.join(top, QUALITY), session_files.quality_trajectory(points))
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

    def _baseline(self) -> Fitness | None:
        """The first measurement of this goals era."""
        if self._began.goals_file is None:
            return None
        found = snapshots.latest(snapshots.era_folder(self._here.repository.top, self._began.goals_file)).snapshot
        return found.fitness if found is not None else None

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
