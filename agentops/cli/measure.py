"""`ao goals measure`."""

from __future__ import annotations

import os

import click

from agentops.cli import kinds
from agentops.cli.door import here
from agentops.cli.progress import watching
from agentops.cli.voice import standard_error, standard_out
from agentops.core.errors import ExitCode
from agentops.core.fitness import GoalOutcome


@click.command()
@click.option("--goal", metavar="ID", help="Only this goal.")
@click.option("--file", metavar="FILE", help="This goals file instead of the nearest one upwards.")
@click.option("--timeout", type=kinds.seconds, default="240", show_default=True, metavar="SECONDS", help="Limit of one check.")
@click.option("--total-timeout", type=kinds.seconds, metavar="SECONDS", help="Limit of the whole; what is left then is skipped.")
@click.option("--json", "as_json", is_flag=True, help="Print the snapshot as JSON.")
@click.option("--strict", is_flag=True, help="Exit 3 when a goal fails.")
@click.option("--directives", is_flag=True, help="Measure nothing; print the directives of GOALS.md as JSON.")
def command(
    goal: str | None,
    file: str | None,
    timeout: float,
    total_timeout: float | None,
    as_json: bool,
    strict: bool,
    directives: bool,
) -> int:
    """Run every goal's check in this folder and say which pass. Exits 0 also when some fail: read the results."""
    if directives:
        if goal is not None:
            raise click.UsageError("--directives and --goal cannot be combined")
        return _directives(file)
    from agentops.app.measuring import measure
    from agentops.views import fitness as view

    with watching(quiet=as_json) as watch:
        found = measure(
            here(),
            dict(os.environ),
            goal=goal,
            timeout=timeout,
            total_timeout=total_timeout,
            file=file,
            watch=watch,
            on_problem=lambda text: standard_error().line(f"note: {text}"),
        )
    if as_json:
        from agentops.records import fitness_file

        standard_out().write(fitness_file.encode(found).decode() + "\n")
    else:
        standard_out().show(view.blocks(found))
    failing = any(one.outcome is GoalOutcome.FAIL for one in found.goals)
    return ExitCode.STRICT if strict and failing else ExitCode.PLANNED


def _directives(file: str | None) -> int:
    from agentops.app.goal_files import directives
    from agentops.cli.goal_options import write_json
    from agentops.views import goals as view

    write_json(view.directives_json(directives(here(), dict(os.environ), file)))
    return ExitCode.PLANNED
