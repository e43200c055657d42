"""`ao report`: what a session did, again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from agentops.cli.opened import now, opened
from agentops.cli.voice import standard_out
from agentops.core.errors import UsageError

if TYPE_CHECKING:
    from agentops.app.opening import Here


@click.command()
@click.argument("session", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print it as the JSON that the session's end wrote.")
@click.option("--html", "page", is_flag=True, help="Print where the page for a browser lies.")
@click.option("--list", "listed", is_flag=True, help="Which sessions left a report, the latest last.")
def command(session: str | None, as_json: bool, page: bool, listed: bool) -> None:
    """The report of the last session, or of SESSION: what waits for you, what was done, where the goals stand."""
    from agentops.app import reports
    from agentops.views import report as view
    from agentops.views.stored import report_of

    at, out = opened(), standard_out()
    if listed:
        out.lines(reports.runs(at) or ("No session has ended here yet: ao evolve",))
        return
    run = _chosen(at, session)
    raw = reports.read(at, run)
    if as_json:
        out.write(raw.decode("utf-8", "replace"))
        return
    if page:
        out.line(reports.page_path(at, run))
        return
    found = report_of(raw)
    if found is None:
        path = shlex.quote(reports.json_path(at, run))
        raise UsageError(f"the report of {run} cannot be read", mend=f"cat {path}   ·   ao history")
    out.show(view.blocks(found, now()))


def _chosen(at: Here, session: str | None) -> str:
    from agentops.app import reports

    known = reports.runs(at)
    fits = [run for run in known if session is None or run == session or run.rpartition(".")[0] == session]
    if not fits:
        what = "no session has ended here yet" if session is None else f"there is no report of {session}"
        raise UsageError(what, mend="ao report --list" if known else "ao status   ·   ao history")
    return fits[-1]
