"""`ao script …`: what the scripts that upstream's users call by name do. Not listed: the scripts are the doors to it.

As those scripts always did, every failure exits 1 with one line on stderr, whatever it was.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from agentops.cli.lazy import LazyGroup
from agentops.core.errors import AoError, ExitCode


class Refused(AoError):
    """It was not done, and nothing was written."""


class Script(click.Command):
    """A command with the exit codes of a script: 0, or 1; a signal keeps its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A wrong option exits 1 here: callers look for no other code."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as wrong:
            text = wrong.format_message().strip().rstrip(".")
            raise Refused(f"{text[:1].lower()}{text[1:]}", mend=f"{ctx.command_path} --help") from wrong

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; expected errors exit 1."""
        with _as_refusals(ctx.command_path):
            return super().invoke(ctx)


@contextmanager
def _as_refusals(path: str) -> Iterator[None]:
    try:
        yield
    except AoError as error:
        if isinstance(error, Refused) or error.exit_code >= ExitCode.SIGHUP:
            raise
        raise Refused(str(error), mend=error.mend) from error
    except OSError as error:
        if error.filename is None or error.errno == errno.EPIPE:
            raise
        raise Refused(f"{error.filename}: {error.strerror}", mend=f"{path} --help") from error


command = LazyGroup(
    "script",
    {
        "measure-fitness": ("agentops.cli.script_measure", "Measure the goals into a snapshot file."),
        "capture-baseline": ("agentops.cli.script_baseline", "Measure the goals as the baseline of an era."),
        "log-cycle": ("agentops.cli.script_log_cycle", "Append a row to the ledger."),
        "log-telemetry": ("agentops.cli.script_telemetry", "Append a row to the telemetry."),
        "check-wiring": ("agentops.cli.script_wiring", "Say which files are named and missing, or there and called by nothing."),
    },
    "What the scripts beside this command do: scripts/evolve-*.sh, log-telemetry.sh, check-wiring-closure.sh.",
)
