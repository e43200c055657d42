"""`ao trust`."""

from __future__ import annotations

import os

import click

from agentops.cli.door import here
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode


@click.command()
@click.option("--show", is_flag=True, help="Only say what is asked; allow nothing.")
@click.option("--revoke", is_flag=True, help="Take it back.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(show: bool, revoke: bool, as_json: bool) -> int:
    """Let the programs run that this repository's own files name: agents, hooks, set-up commands, schedules; and let these
    files loosen the sandbox, where they ask for it.

    The word holds for this folder and this content; when the files change, it is asked for again.
    """
    if show and revoke:
        raise click.UsageError("--show and --revoke exclude each other")
    from agentops.app.trusting import trust

    found = trust(here(), dict(os.environ), show=show, take_back=revoke)
    voice = standard_out()
    if as_json:
        from agentops.core import wire

        asked = [{"where": one.where, "key": one.key, "value": _plain(one.value)} for one in found.asked]
        told = {"folder": found.folder, "trusted": found.trusted, "changed": found.changed, "asked": asked}
        voice.write(wire.dump(told).decode() + "\n")
        return ExitCode.PLANNED
    for one in found.asked:
        voice.line(f"{one.where}  {one.key} = {_plain(one.value)}")
    voice.line(_said(found.trusted, found.changed, bool(found.asked), revoke))
    return ExitCode.PLANNED


def _said(trusted: bool, changed: bool, asked: bool, revoking: bool) -> str:
    if revoking:
        return "taken back: they are not run from now on" if changed else "nothing was trusted here"
    if not asked:
        return "no file of this repository asks for your word; there is nothing to trust"
    if not trusted:
        return "not trusted: ao trust lets it count"
    return "trusted from now on, until they change (ao trust --revoke)" if changed else "trusted, and unchanged since"


def _plain(value: object) -> object:
    if hasattr(value, "items"):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
