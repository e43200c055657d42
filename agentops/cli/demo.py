"""`ao demo`."""

from __future__ import annotations

import os

import click

from agentops.cli.voice import standard_out

CYCLES = 5


@click.command()
@click.option("--folder", metavar="FOLDER", help="Where to make the repository (default: a new folder for temporary files).")
def command(folder: str | None) -> int:
    """Watch it work: a small repository whose goals fail for real reasons, five cycles on it, the report at the end.

    No model and no network are needed: each goal that can be mended names the command that does it.
    """
    import tempfile

    from agentops.app.demo import make
    from agentops.app.evolving import evolve, exit_code
    from agentops.host.clock import SystemClock
    from agentops.host.launcher import Launcher
    from agentops.host.scope import StopScope
    from agentops.policy.settings import Settings
    from agentops.views import report as report_view

    voice, env, clock = standard_out(), dict(os.environ), SystemClock()
    at = make(folder or tempfile.mkdtemp(prefix="ao-demo-"), env, Launcher(clock), StopScope(clock))
    voice.lines((f"A small repository with three commits and five goals is in {at}", f"$ ao evolve --max-cycles={CYCLES}", ""))
    settings = Settings(max_cycles=CYCLES, stay_awake=False)
    report = evolve(settings, cwd=at, env=env, say=voice.line)
    voice.line()
    voice.show(report_view.blocks(report, report.ended))
    voice.lines(("", f"Look around: cd {at}   then   git log --stat   ao history   ao diff 1"))
    return exit_code(report, settings)
