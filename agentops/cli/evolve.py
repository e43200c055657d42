"""`ao evolve`: flags into settings, the loop, the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click

from agentops.app.configuring import configuration
from agentops.cli import kinds
from agentops.cli.door import here
from agentops.cli.not_yet import not_yet
from agentops.cli.voice import standard_error, standard_out
from agentops.core.errors import ExitCode
from agentops.policy.choosing import COMMAND, agent_names, choose
from agentops.policy.configuration import Configuration
from agentops.policy.settings import Isolation, Keep, SandboxMode, Settings


@click.command()
@click.option("--max-cycles", type=click.IntRange(min=1), metavar="N", help="Stop after N cycles of this start.")
@click.option(
    "--hours", type=kinds.hours, metavar="H", help="Stop after H hours of working time. [default: 10, or budget.session.minutes]"
)
@click.option("--until", type=kinds.clock_time, metavar="HH:MM", help="Stop at this local time, the next time it comes.")
@click.option("--max-usd", type=kinds.amount, metavar="USD", help="Stop when the agent's own reports come to so much money.")
@click.option(
    "--max-tokens", type=kinds.count, metavar="N", help="Stop after so many tokens, read and written; 500k and 2M are numbers."
)
@click.option(
    "--agent",
    metavar="NAME[,NAME...]",
    help="Who does what no remedy can, and who takes over while that one is limited; `none`: nobody. "
    "[default: agent.use, or the first installed of claude, codex, opencode, gemini, qwen]",
)
@click.option(
    "--agent-command",
    type=kinds.argv,
    metavar="ARGV",
    help="The program to run for each phase; the prompt comes on stdin, or in the file that {prompt_file} stands for.",
)
@click.option("--no-preflight", is_flag=True, help="Do not ask each agent for one word before the session starts.")
@click.option(
    "--phase-timeout", type=kinds.duration, metavar="TIME", default="90m", show_default=True, help="Limit of one agent run."
)
@click.option(
    "--idle-timeout",
    type=kinds.duration,
    metavar="TIME",
    default="15m",
    show_default=True,
    help="End an agent run that neither prints nor computes for so long.",
)
@click.option(
    "--isolation",
    type=click.Choice([str(one) for one in Isolation]),
    help="Where work happens. [default: auto, or place.isolation]",
)
@click.option(
    "--sandbox",
    type=click.Choice([str(one) for one in SandboxMode]),
    help="How strongly process trees are held; strict refuses where the strongest level does not work. "
    "[default: auto, or sandbox.level]",
)
@click.option(
    "--keep",
    type=click.Choice([str(one) for one in Keep]),
    default="reached",
    show_default=True,
    help="Whether work stays whose target did not move.",
)
@click.option("--require-gate", is_flag=True, help="Do not keep work that nothing could check.")
@click.option("--strict-exit", is_flag=True, help="Exit 3 when there was work and nothing was kept.")
@click.option("--run-hooks", is_flag=True, help="Run the repository's git hooks for our own commits.")
@click.option("--test-first/--no-test-first", default=True, show_default=True, help="Ask agents for a failing test first.")
@click.option("--repo-filter", metavar="NAME", help="Whose work items to take; default this repository's, '' for everybody's.")
@click.option("--skip-baseline", is_flag=True, help="Do not keep the first measurement of a changed goals file as its baseline.")
@click.option(
    "--on-end", type=kinds.argv, metavar="CMD", help="Run this at the end, the JSON report on its stdin; no shell, 30 s at most."
)
@click.option("--clear-quarantine", is_flag=True, help="Try targets again that were left alone because they oscillate.")
@click.option("--dry-run", is_flag=True, help="Say what the next cycle would do; write nothing at all.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON; what happens meanwhile goes to stderr.")
@click.option("--detach", is_flag=True, help="Run in the background, with a log; survives this terminal.")
@click.option("--detached", is_flag=True, hidden=True)
@not_yet
def command(**given: Any) -> int:
    """Work on this repository, unattended: measure, choose, do, judge, keep or take back, write the row, again.

    It stops when a limit is reached, when nothing is left that it could do, or when told to (`ao stop`).
    """
    as_json, detach, detached = given.pop("as_json"), given.pop("detach"), given.pop("detached")
    cwd, env = here(), dict(os.environ)
    settings = settings_of(given, configuration(cwd, env), detached=detached)
    if settings.dry_run:
        return _dry_run(settings, cwd, env, as_json)
    if detach:
        from agentops.cli.detaching import detach as start

        return start(cwd, env)
    from agentops.app.evolving import evolve, exit_code

    voice = standard_error() if as_json else standard_out()
    report = evolve(settings, cwd=cwd, env=env, say=voice.line)
    code = exit_code(report, settings)
    from agentops.views import as_json as json_view
    from agentops.views import report as report_view

    if as_json:
        standard_out().write(json_view.report(report, code))
    else:
        voice.line()
        voice.show(report_view.blocks(report, report.ended))
    return code


def settings_of(
    given: Mapping[str, Any],
    found: Configuration | None = None,
    now: Callable[[], float] | None = None,
    *,
    detached: bool = False,
) -> Settings:
    """The flags over the configuration, as settings. `now` reads the wall clock, and only where `--until` needs it.

    Raises click's UsageError for flags that contradict each other, ours for what lacks its program.
    """
    agents, argv = agent_names(given["agent"] or ""), given["agent_command"]
    if given["agent"] is not None and not agents:
        raise click.UsageError("--agent names nobody")
    if argv is not None and agents and COMMAND not in agents:
        raise click.UsageError(f"--agent-command belongs to --agent command, not to --agent {given['agent']}")
    found = found or Configuration()
    if COMMAND in agents and argv is None and not found.tables.agent.command:
        raise click.UsageError("--agent command needs the program: --agent-command 'my-agent --flag'")
    return choose(given, found, until=_until(given["until"], now), detached=detached)


def _until(at: tuple[int, int] | None, now: Callable[[], float] | None) -> float | None:
    if at is None:
        return None
    from agentops.host.clock import SystemClock

    return kinds.next_occurrence(*at, now() if now is not None else SystemClock().now().wall)


def _dry_run(settings: Settings, cwd: str, env: dict[str, str], as_json: bool) -> int:
    from agentops.app.dry_running import dry_run
    from agentops.views import as_json as json_view
    from agentops.views import dry_run as view

    found = dry_run(settings, cwd=cwd, env=env)
    if as_json:
        standard_out().write(json_view.dry_run(found))
    else:
        standard_out().show(view.blocks(found))
    return ExitCode.PLANNED
