"""`ao script log-cycle`, called by `scripts/evolve-log-cycle.sh`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from agentops.cli.door import here
from agentops.cli.script import Refused, Script
from agentops.cli.voice import standard_error, standard_out
from agentops.core.errors import ExitCode

RESULTS = ("improved", "regressed", "unchanged", "harvested", "quarantined")
WHOLE = click.IntRange(min=0)


@click.command(cls=Script)
@click.option("--cycle", required=True, type=WHOLE, help="The next number of the ledger.")
@click.option("--target", required=True, metavar="TEXT", help="What was worked on; `idle` for nothing.")
@click.option("--result", required=True, type=click.Choice(RESULTS))
@click.option("--canonical-sha", "--sha", metavar="SHA", help="The commit of the work.")
@click.option("--cycle-start-sha", metavar="SHA", help="Where the cycle began; improved needs it.")
@click.option("--log-sha", metavar="SHA", help="The commit of the ledger, where it is another one.")
@click.option("--goals-passing", type=WHOLE)
@click.option("--goals-total", type=WHOLE)
@click.option("--quality-score", type=WHOLE)
@click.option("--goal-ids", metavar="A,B", help="Goals of a parallel wave.")
@click.option("--parallel", is_flag=True)
@click.option("--queue-item", metavar="ID", help="Item of the pinned queue.")
@click.option("--queue-index", type=WHOLE, help="Its place, from 0.")
@click.option("--queue-total", type=WHOLE)
@click.option("--unblock-target", metavar="ID", help="What this sub-cycle unblocks.")
@click.option("--unblock-depth", type=WHOLE)
@click.option("--timestamp", metavar="ISO", help="Now, in UTC, where it is not given.")
@click.option("--trace-json", metavar="FILE|JSON|-", help="An object kept with the row.")
@click.option("--history", metavar="FILE", help="Another ledger; it counts from the root.")
@click.option("--repo-root", metavar="DIR")
def command(
    cycle: int,
    target: str,
    result: str,
    cycle_start_sha: str | None,
    goal_ids: str | None,
    timestamp: str | None,
    trace_json: str | None,
    history: str | None,
    repo_root: str | None,
    **facts: Any,
) -> int:
    """Append a row to the ledger and print it. Exits 1 with nothing written when a rule is broken."""
    from agentops.app.log_cycle import log_cycle
    from agentops.core.judging import Result
    from agentops.host.clock import SystemClock
    from agentops.records.script_rows import ScriptRow
    from agentops.records.times import utc_text, wall_of

    if timestamp is not None and wall_of(timestamp) is None:
        raise Refused(f"--timestamp `{timestamp}` is no moment", mend="--timestamp 2026-04-02T10:00:00Z")
    row = ScriptRow(
        cycle=cycle,
        target=target,
        result=Result(result),
        timestamp=timestamp or utc_text(SystemClock().now().wall),
        start_sha=cycle_start_sha,
        goal_ids=tuple(one.strip() for one in (goal_ids or "").split(",") if one.strip()),
        trace=_trace(trace_json),
        **facts,
    )
    line = log_cycle(row, here(), dict(os.environ), root=repo_root, history=history, info=standard_error().line)
    standard_out().write(line.decode() + "\n")
    return ExitCode.PLANNED


def _trace(given: str | None) -> dict[str, Any] | None:
    """The object that was given as JSON, as a file, or on stdin."""
    if given is None:
        return None
    import msgspec

    from agentops.host.files import read_bounded

    if given == "-":
        raw = sys.stdin.buffer.read(1 << 20)
    else:
        raw = given.encode() if given.lstrip().startswith(("{", "[")) else read_bounded(given, 1 << 20)
    try:
        found = msgspec.json.decode(raw)
    except msgspec.DecodeError as wrong:
        raise Refused(f"--trace-json is no JSON: {wrong}") from wrong
    if not isinstance(found, dict):
        raise Refused("--trace-json is no JSON object")
    return found
