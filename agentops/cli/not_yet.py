"""Flags of rungs that this version does not have: known, refused with one line, never quietly ignored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

RUNGS = {
    "--queue": "a pinned queue",
    "--queue-only": "a pinned queue",
    "--beads-only": "beads",
    "--quality": "quality mode",
    "--compile": "compiling knowledge",
}
"""Flag → what it asks for."""
_WITH_VALUE = frozenset({"--queue"})


def not_yet(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command know these flags, so that typing one says what is missing instead of `no such option`."""
    for flag, what in RUNGS.items():
        given: dict[str, Any] = {"metavar": "VALUE"} if flag in _WITH_VALUE else {"is_flag": True}
        command = click.option(flag, hidden=True, expose_value=False, callback=_refusing(flag, what), **given)(command)
    return command


def _refusing(flag: str, what: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def refuse(context: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            raise click.UsageError(f"{flag}: {what} is not in this version", context)

    return refuse
