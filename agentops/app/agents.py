"""The agents of a run: who was named, or the first that is installed, each made from its description."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentops.agents.catalog import FIRST_OF, Catalog, NoSuchAgent, program_of, user_folder
from agentops.agents.command import CommandAgent
from agentops.agents.running import AdapterAgent
from agentops.app.opening import Here
from agentops.core.processes import Limits
from agentops.host.environment import resolve
from agentops.host.zone import local_zone
from agentops.policy.settings import Settings
from agentops.rpi.crew import Crew, Member
from agentops.rpi.verdicts import Phase

OUTPUT = 256 * 1024
COMMAND, NOBODY = "command", "none"


def crew_of(settings: Settings, here: Here) -> Crew | None:
    """Everyone who works in this run; None when nobody was named and none is installed, or `none` was.

    Raises NoSuchAgent (exit 7) for one that is named and not there, BadAdapter (exit 2) for a description that is broken.
    """
    catalog = catalog_of(settings, here)
    chain = [settings.agent if settings.agent is not None else _installed(catalog, here), *settings.fallback]
    names = [name for name in chain if name and name != NOBODY]
    if not names:
        return None
    made: dict[str, Member] = {}
    for name in (*names, *settings.phase_agents.values()):
        if name not in made:
            made[name] = _member(name, settings, catalog, here)
    named = {Phase(phase): made[name] for phase, name in settings.phase_agents.items()}
    return Crew([made[name] for name in dict.fromkeys(names)], named)


def catalog_of(settings: Settings, here: Here) -> Catalog:
    """All descriptions that count here."""
    return Catalog(user_folder(here.env), settings.agent_tables)


def agent_words(settings: Settings, crew: Crew | None) -> str:
    """Who works, for one line at the start."""
    if crew is None:
        looked = "" if settings.agent is not None else f" (looked for {', '.join(FIRST_OF)})"
        return f"none{looked}: only what `fix:` commands and fixers that checks name can mend"
    if settings.agent == COMMAND and not crew.falls_back:
        return " ".join(settings.agent_command)
    first = [member.name for member in crew.order(Phase.IMPLEMENTATION)]
    words = first[0] + ("" if settings.agent is not None else " (the first that is installed)")
    if len(first) > 1:
        words += f", then {', then '.join(first[1:])}"
    for phase in (Phase.DISCOVERY, Phase.VALIDATION):
        other = crew.order(phase)[0].name
        if other != first[0]:
            words += f"; {phase} by {other}"
    return words


def missing_words(crew: Crew | None) -> tuple[str, ...]:
    """What is off because an agent does not tell: one line each (evolve.md section 4)."""
    described = [(member.name, member.agent) for member in (crew.members if crew is not None else ())]
    lacking = [(name, _lacks(agent)) for name, agent in described if isinstance(agent, AdapterAgent)]
    return tuple(f"{name} does not tell {' or '.join(lacks)}: off for it" for name, lacks in lacking if lacks)


def _lacks(agent: AdapterAgent) -> Sequence[str]:
    rules, output = agent.adapter.events, agent.adapter.output
    lacks = []
    if not agent.adapter.streams:
        lacks.append("what it does while it does it (first-byte limit, going in circles)")
    if not any(rule.tokens_in for rule in rules) and "tokens_in" not in output.usage_line:
        lacks.append("tokens (token budgets)")
    if not any(rule.usd for rule in rules) and "usd" not in output.usage_line:
        lacks.append("what it costs (money counts as unknown)")
    return lacks


def _installed(catalog: Catalog, here: Here) -> str | None:
    found = (name for name in FIRST_OF if program_of(catalog.get(name), here.env, here.repository.top))
    return next(found, None)


def _member(name: str, settings: Settings, catalog: Catalog, here: Here) -> Member:
    limits = Limits(total=settings.phase_timeout, idle=settings.idle_timeout, head=OUTPUT, tail=OUTPUT)
    transcripts = os.path.join(here.state, "transcripts")
    if name == COMMAND:
        return Member(_command(settings, here, limits, transcripts), COMMAND)
    adapter = catalog.get(name)
    program = program_of(adapter, here.env, here.repository.top)
    if program is None:
        wanted = " or ".join(f"`{one}`" for one in adapter.programs)
        raise NoSuchAgent(
            f"the agent {name} is not installed: {wanted} is not on PATH",
            mend=f"command -v {adapter.programs[0]}   ·   ao evolve --agent none   (only what `fix:` commands can mend)",
        )
    agent = AdapterAgent(adapter, program, here.host, here.clock, limits, transcripts, local_zone(here.env))
    return Member(agent, agent.account)


def _command(settings: Settings, here: Here, limits: Limits, transcripts: str) -> CommandAgent:
    if not settings.agent_command:
        raise NoSuchAgent(
            "the agent `command` has no program", mend="ao evolve --agent-command 'my-agent --flag'   (docs/agents.md)"
        )
    program = resolve(settings.agent_command[0], here.env, here.repository.top)
    if program is None:
        raise NoSuchAgent(
            f"the agent's program `{settings.agent_command[0]}` is not on PATH",
            mend=f"command -v {settings.agent_command[0]}   ·   ao evolve --agent-command '/full/path …'",
        )
    return CommandAgent((program, *settings.agent_command[1:]), here.host, here.clock, limits, transcripts)
