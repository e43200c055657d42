"""`ao goals …`, with upstream's short names, and its options also before the command."""

from __future__ import annotations

import click

from agentops.cli.lazy import LazyGroup

TABLE: dict[str, tuple[str, str]] = {
    "measure": ("agentops.cli.measure", "Run every goal's check and say which pass."),
    "validate": ("agentops.cli.goals_validate", "Say whether the goals file is as it should be."),
    "drift": ("agentops.cli.goals_drift", "Measure, and compare with the last measurement or the era's baseline."),
    "history": ("agentops.cli.goals_history", "What earlier measurements came to."),
    "export": ("agentops.cli.goals_export", "Print the last measurement as JSON."),
    "meta": ("agentops.cli.goals_meta", "Measure the goals that watch other goals."),
    "add": ("agentops.cli.goals_add", "Add a goal, once its check passes."),
    "prune": ("agentops.cli.goals_prune", "Remove goals whose checks name files that are gone."),
    "init": ("agentops.cli.goals_init", "Write a first GOALS.md that fits this repository."),
    "migrate": ("agentops.cli.goals_migrate", "Bring an old goals file into a newer form."),
    "steer": ("agentops.cli.goals_steer", "Add, remove and order directives."),
}
ALIASES = {
    "m": "measure",
    "v": "validate",
    "d": "drift",
    "h": "history",
    "e": "export",
    "a": "add",
    "p": "prune",
    "mg": "migrate",
}

command = LazyGroup(
    "goals",
    TABLE,
    "The goals of this repository: GOALS.md or GOALS.yaml (docs/goals.md says how they are written).",
    aliases=ALIASES,
)


@click.pass_context
def _pass_on(ctx: click.Context, file: str | None, as_json: bool, timeout: str | None) -> None:
    """What stands before the command counts for it: upstream's users and scripts write it there."""
    given: dict[str, object] = {"file": file, "as_json": as_json or None, "timeout": timeout}
    said = {name: value for name, value in given.items() if value is not None}
    inner: dict[str, object] = dict.fromkeys(("add", "remove", "prioritize"), said)
    ctx.default_map = {name: inner if name == "steer" else said for name in TABLE}


command.callback = _pass_on
command.params += [
    click.Option(["--file"], metavar="FILE", hidden=True),
    click.Option(["--json", "as_json"], is_flag=True, hidden=True),
    click.Option(["--timeout"], metavar="SECONDS", hidden=True),
]
