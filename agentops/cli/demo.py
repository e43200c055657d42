"""`ao demo`."""

from __future__ import annotations

import os
import sys

import click

from agentops.cli.voice import standard_error, standard_out

CYCLES = 5


@click.command()
@click.option(
    "--into", "--folder", "into", metavar="FOLDER", help="Where to make the repository. [default: a new temporary folder]"
)
@click.option("--keep/--no-keep", default=True, show_default=True, help="Leave the repository there to look around in.")
@click.option("--json", "as_json", is_flag=True, help="Print the session's report as JSON; everything else goes to stderr.")
def command(into: str | None, keep: bool, as_json: bool) -> int:
    """Watch it work: a small project whose goals fail for real reasons, five cycles on it, and what came of each.

    No model and no network are needed: what can be mended names the command that does it, the rest is left and reported.
    """
    import json
    import tempfile

    from agentops.app.demo import make
    from agentops.app.evolving import evolve, exit_code
    from agentops.core import wire
    from agentops.host.clock import SystemClock
    from agentops.host.folders import drop_folder
    from agentops.host.launcher import Launcher
    from agentops.host.scope import StopScope
    from agentops.policy.settings import Settings
    from agentops.views import as_json as json_view
    from agentops.views import demo as words
    from agentops.views import report as report_view

    voice, env, clock = standard_error() if as_json else standard_out(), dict(os.environ), SystemClock()
    at = make(into or tempfile.mkdtemp(prefix="ao-demo-"), env, Launcher(clock), StopScope(clock))
    try:
        voice.show(words.before(at, CYCLES))
        settings = Settings(max_cycles=CYCLES, agent="none", stay_awake=False)  # no model, no network: the promise
        report = evolve(settings, cwd=at, env=env, say=voice.line)
        code = exit_code(report, settings)
        voice.line()
        voice.show(report_view.blocks(report, report.ended))
        voice.show(words.after(report, at, _how_it_is_typed(env), kept=keep))
        if as_json:
            told = wire.parse(json_view.report(report, code).encode())
            standard_out().write(json.dumps({**told, "folder": at}, indent=2, ensure_ascii=False) + "\n")
    finally:
        if not keep:
            drop_folder(at)
    return code


def _how_it_is_typed(env: dict[str, str]) -> str:
    """`ao` where that finds us; else the script of the checkout that we were started by."""
    import shutil

    ours = os.path.realpath(sys.argv[0])
    found = shutil.which("ao", path=env.get("PATH"))
    if found is not None and os.path.realpath(found) == ours:
        return "ao"
    script = os.path.join(os.path.dirname(ours), os.pardir, os.pardir, "scripts", "ao")
    return os.path.normpath(script) if os.path.exists(script) else "ao"
