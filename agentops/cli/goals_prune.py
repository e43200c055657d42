"""`ao goals prune`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.goal_options import dry_run_option, file_option, json_option, write_json
from agentops.cli.voice import standard_out


@click.command()
@file_option
@dry_run_option
@json_option
def command(file: str | None, dry_run: bool, as_json: bool) -> None:
    """Remove goals whose checks name files under scripts/, tests/ or hooks/ that are not there any more."""
    from agentops.app.goal_editing import prune

    opened, stale = prune(here(), dict(os.environ), file, dry_run=dry_run)
    if as_json:
        found = [{"id": one.goal.id, "check": one.goal.check, "missing_path": one.missing} for one in stale]
        write_json({"stale_goals": found, "removed": 0 if dry_run else len(stale), "dry_run": dry_run})
        return
    out = standard_out()
    if not stale:
        out.line("No goal names a file that is gone.")
        return
    out.line(f"{'would remove' if dry_run else 'removed'} {len(stale)} from {opened.document.path}:")
    out.lines(f"  {one.goal.id}: {one.goal.check}   (missing: {one.missing})" for one in stale)
