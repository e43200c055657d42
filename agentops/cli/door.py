"""The one way out of a command: every end becomes an exit code, every error a line with the next thing to type."""

from __future__ import annotations

import errno
import os
import shlex
import sys
from collections.abc import Sequence

import click

from agentops.cli.voice import Voice, prepare_streams, standard_error
from agentops.core.errors import AoError, ExitCode

_MACHINE = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EEXIST,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ELOOP,
        errno.EMFILE,
    }
)
"""What a person can mend, and no bug report could."""


def enter(program: click.Command, argv: Sequence[str]) -> int:
    """Run a command line and return its exit code. Nothing escapes, and nothing is printed twice."""
    stdout, _ = prepare_streams()
    code = _run(program, argv, standard_error())
    sys.stdout.flush()
    if stdout.lost is not None and code == ExitCode.PLANNED:
        # a report that nobody can read is no success: `ao goals measure --json > /full/disk`
        complain(
            standard_error(), f"the output could not be written: {stdout.lost.strerror}", "free some space, or send it elsewhere"
        )
        return ExitCode.UNEXPECTED
    return code


def complain(err: Voice, what: str, mend: str = "") -> None:
    """One line that says what is wrong, one that says what to do."""
    err.line(f"ao: {what}")
    if mend:
        err.line(f"  → {mend}")


def _run(program: click.Command, argv: Sequence[str], err: Voice) -> int:
    try:
        with program.make_context("ao", list(argv)) as context:
            ended = program.invoke(context)
        return int(ended) if isinstance(ended, int) else ExitCode.PLANNED
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as wrong:
        complain(err, _said(wrong), f"{_path(wrong)} --help")
        return ExitCode.USAGE
    except AoError as expected:
        complain(err, str(expected), expected.mend)
        return expected.exit_code
    except (KeyboardInterrupt, click.Abort):
        err.line()
        return ExitCode.SIGINT
    except OSError as broken:
        if broken.errno not in _MACHINE or broken.filename is None:
            return _crashed(err, argv, broken)
        # the machine's state, not a mistake of ours: a folder of root's, a full or read-only disk, a file in the way
        path = os.fsdecode(broken.filename) if isinstance(broken.filename, bytes) else str(broken.filename)
        complain(
            err, f"{path}: {broken.strerror}", f"ls -ld {shlex.quote(path)}; df -h {shlex.quote(os.path.dirname(path) or '.')}"
        )
        return ExitCode.ENVIRONMENT
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else ExitCode.UNEXPECTED
    except Exception as unexpected:
        return _crashed(err, argv, unexpected)


def _crashed(err: Voice, argv: Sequence[str], what: Exception) -> int:
    from agentops.cli.crash import write_crash_file

    where = write_crash_file(argv, what)
    complain(
        err,
        f"something went wrong that should not have: {type(what).__name__}: {what}",
        f"{where} has all that a bug report needs" if where else "run it again with PYTHONFAULTHANDLER=1 and report the above",
    )
    return ExitCode.UNEXPECTED


def _said(wrong: click.ClickException) -> str:
    """Click's message as the middle of our sentence: first letter small, no full stop, the nearest name offered."""
    text = wrong.format_message().strip().rstrip(".")
    nearest = _nearest(wrong)
    if isinstance(wrong, click.NoSuchOption):
        text = f"there is no option {wrong.option_name}"
        if isinstance(wrong.ctx, click.Context) and isinstance(wrong.ctx.command, click.Group):
            text += " before the command (options follow it)"
    if nearest and nearest not in text:
        text = f"{text} (did you mean {nearest}?)"
    return text[:1].lower() + text[1:]


def _nearest(wrong: click.ClickException) -> str:
    if not isinstance(wrong, click.NoSuchOption) or wrong.ctx is None:
        return ""
    import difflib

    known = [
        name for parameter in wrong.ctx.command.get_params(wrong.ctx) for name in (*parameter.opts, *parameter.secondary_opts)
    ]
    found = difflib.get_close_matches(wrong.option_name, [name for name in known if name.startswith("-")], 1, 0.5)
    return found[0] if found else ""


def _path(wrong: click.ClickException) -> str:
    context = getattr(wrong, "ctx", None)
    return context.command_path if context is not None else "ao"


def here() -> str:
    """The folder where the command was typed. Raises `EnvironmentUnusable` when it no longer exists."""
    from agentops.core.errors import EnvironmentUnusable

    try:
        return os.getcwd()
    except OSError as gone:
        raise EnvironmentUnusable("the current folder does not exist any more", mend="cd to a folder that does") from gone


def version_line() -> str:
    """`ao 0.1.0 (Python 3.11.7, linux)`."""
    from agentops import __version__

    return f"ao {__version__} (Python {sys.version.split()[0]}, {sys.platform})"
