"""Flags over configuration over defaults: the settings of one run. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentops.core.errors import UsageError
from agentops.policy.configuration import Configuration, words
from agentops.policy.settings import Isolation, Keep, SandboxMode, Settings

COMMAND = "command"
"""The name of the agent that is any program."""


def choose(flags: Mapping[str, Any], found: Configuration, *, until: float | None = None, detached: bool = False) -> Settings:
    """The settings of a run. `flags` by their names; None (for a switch also False) is a flag that was not given. `until` is
    the flag's time of day as a wall-clock time.

    Raises UsageError for an agent `command` that has no program.
    """
    tables, default = found.tables, Settings()
    (agent, *fallback), program = _agents(flags, found)
    minutes = tables.budget.session.minutes
    return Settings(
        max_cycles=flags.get("max_cycles"),
        hours=_first(flags.get("hours"), None if minutes is None else minutes / 60.0, default.hours),
        until=until,
        max_usd=_first(flags.get("max_usd"), tables.budget.session.usd, None),
        max_tokens=_first(flags.get("max_tokens"), tables.budget.session.tokens, None),
        agent=agent,
        agent_command=program,
        fallback=tuple(name for name in fallback if name),
        phase_agents={
            phase: name
            for phase, name in (
                ("discovery", tables.agent.discovery),
                ("implementation", tables.agent.implementation),
                ("validation", tables.agent.validation),
            )
            if name is not None and not (flags.get("agent") or flags.get("agent_command"))
        },
        agent_tables={name: (table, found.origins[f"agents.{name}"].where) for name, table in tables.agents.items()},
        preflight=not flags.get("no_preflight"),
        phase_timeout=_first(flags.get("phase_timeout"), default.phase_timeout),
        idle_timeout=_first(flags.get("idle_timeout"), default.idle_timeout),
        test_first=_first(flags.get("test_first"), default.test_first),
        isolation=Isolation(_first(flags.get("isolation"), tables.place.isolation)),
        sandbox=SandboxMode(_first(flags.get("sandbox"), tables.sandbox.level)),
        keep=Keep(_first(flags.get("keep"), default.keep)),
        require_gate=bool(flags.get("require_gate")) or tables.gate.require,
        strict_exit=bool(flags.get("strict_exit")),
        run_hooks=bool(flags.get("run_hooks")),
        dry_run=bool(flags.get("dry_run")),
        skip_baseline=bool(flags.get("skip_baseline")),
        detached=detached,
        clear_quarantine=bool(flags.get("clear_quarantine")),
        gate_commands=tables.gate.commands,
        gate_network=tables.gate.network,
        masked=tables.sandbox.masked,
        prompts_dir=tables.prompts.dir,
        on_end=tuple(_first(flags.get("on_end"), tables.hooks.on_end)),
        queue=_first(flags.get("queue"), tables.queue.file, None),
        repo_filter=_first(flags.get("repo_filter"), tables.queue.repo, None),
        notices=words(found),
    )


def agent_names(text: str) -> tuple[str, ...]:
    """`claude,codex`: who works, then who takes over."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _agents(flags: Mapping[str, Any], found: Configuration) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Who works and who takes over (the first None: nobody said), and the program of `command`.

    A name and a program that different layers say: the higher one is meant.
    """
    table, program = found.tables.agent, flags.get("agent_command")
    given = agent_names(flags.get("agent") or "")
    if program is not None:
        return given or (COMMAND,), tuple(program)
    chain: tuple[str | None, ...] = given or tuple(dict.fromkeys((*table.use, *table.fallback)))
    if not given and table.command and _layer(found, "agent.command") > _layer(found, "agent.use"):
        chain = (COMMAND, *(name for name in table.fallback if name != COMMAND))
    elif not given and not table.use:
        chain = (None, *table.fallback)
    if COMMAND not in (*chain, table.discovery, table.implementation, table.validation):
        return chain or (None,), ()
    if not table.command:
        raise UsageError(_no_program(found), mend="ao evolve --agent-command 'my-agent --flag'")
    return chain, table.command


def _layer(found: Configuration, key: str) -> int:
    return found.origins[key].layer if key in found.origins else 0


def _no_program(found: Configuration) -> str:
    use, withheld = found.origins.get("agent.use"), found.withheld.get("agent.command")
    said = f"{use.where}: agent.use = {COMMAND!r} has no program" if use else f"the agent `{COMMAND}` has no program"
    return said + (
        f" (that of {withheld.where} is not acted on: a file of the repository names it; `ao trust`)" if withheld else ""
    )


def _first(*options: Any) -> Any:
    """The first that is not None; None when all are."""
    return next((one for one in options if one is not None), None)
