"""`ao`: the table of commands. A command's module is imported when that command runs, not before."""

from __future__ import annotations

import os
import sys

import click

from agentops.cli.door import enter, version_line
from agentops.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "evolve": ("agentops.cli.evolve", "Work on this repository until told to stop, or out of budget or work."),
    "status": ("agentops.cli.status", "What is running here, what it is doing, and what waits for you."),
    "logs": ("agentops.cli.logs", "What happened last; -f follows while it happens."),
    "stop": ("agentops.cli.stop", "End the running session, at once or after its cycle."),
    "pause": ("agentops.cli.pause", "Stand still at the end of the phase and hand the tree back."),
    "resume": ("agentops.cli.resume", "Go on after a pause."),
    "report": ("agentops.cli.report", "What the last session did, and what waits for you."),
    "history": ("agentops.cli.history", "The last rows of the ledger."),
    "diff": ("agentops.cli.diff", "What a cycle changed."),
    "restore": ("agentops.cli.restore", "Bring back what a cycle made, or what was there before it."),
    "undo": ("agentops.cli.undo", "Put branch and files back to where a session started."),
    "recover": ("agentops.cli.recover", "Decide what becomes of a cycle that a crash cut off."),
    "goals": ("agentops.cli.goals", "The goals of this repository."),
    "queue": ("agentops.cli.queue", "The work queue of this repository."),
    "trust": ("agentops.cli.trust", "Let the programs run that this repository's own files name."),
    "demo": ("agentops.cli.demo", "Watch it work on a small repository made for the purpose."),
    "script": ("agentops.cli.script", ""),
}
"""name → module (its attribute `command`) and the line that `ao --help` shows."""


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(version_line())
        ctx.exit()


program = LazyGroup(
    "ao",
    COMMANDS,
    "An autonomous supervisor for code: it measures the goals of a repository, has the most valuable work done, "
    "proves that it helped and that nothing got worse, keeps it or takes it back, and writes one truthful row.",
)
program.params.append(
    click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Which version this is.")
)


def entry() -> None:
    """The `ao` command."""
    if "_AO_COMPLETE" in os.environ:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(program, {}, "ao", "_AO_COMPLETE", os.environ["_AO_COMPLETE"]))
    sys.exit(enter(program, sys.argv[1:]))


if __name__ == "__main__":
    entry()
