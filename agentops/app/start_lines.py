"""What a session may do, said before it does anything: nothing unlimited is silent (loop-peers B-L11)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from agentops.app.agents import agent_words, missing_words
from agentops.app.loop_gate import gate_costs
from agentops.app.opening import Here
from agentops.app.shelter import shelter_words
from agentops.core.fitness import Goal
from agentops.core.processes import SandboxLevel
from agentops.evolve.rest import TRIES
from agentops.gate.systems import GateCommand
from agentops.policy.settings import Settings
from agentops.rpi.crew import Crew
from agentops.tree.ignored import ALL, ALL_IGNORED, BIGGEST, BIGGEST_IGNORED
from agentops.views.times import duration

_MIB = 1 << 20


def start_lines(
    settings: Settings,
    here: Here,
    level: SandboxLevel,
    commands: Sequence[GateCommand],
    goals: Sequence[Goal],
    crew: Crew | None,
) -> tuple[str, ...]:
    """One line a fact, in the order in which a person wants to know."""
    cycles = "no limit" if settings.max_cycles is None else str(settings.max_cycles)
    costs = gate_costs(here).read()
    gate = ", ".join(_costing(command.title, costs) for command in commands) or "goals only"
    stops = ", ".join(_short(file.path, here) for file in here.stop_files)
    until = "" if settings.until is None else ", or at the time given with --until"
    return (
        f"  limits   cycles: {cycles}; {settings.hours:g} h of working time{until}; {_spending(settings)};"
        f" {TRIES} fruitless cycles a target, {settings.attempts} tries a phase",
        f"  agent    {agent_words(settings, crew)}",
        *(f"           {line}" for line in missing_words(crew)),
        *((f"  prompts  from {settings.prompts_dir}",) if settings.prompts_dir else ()),
        f"  place    in-place on {here.repository.branch}, sandbox {level}{shelter_words(settings)}",
        f"  gate     {gate}; {len(goals)} goal{'s'[: len(goals) != 1]}",
        f"  saved    files up to {BIGGEST // _MIB} MiB ({ALL // _MIB} in all), ignored ones up to {BIGGEST_IGNORED // _MIB} MiB"
        f" ({ALL_IGNORED // _MIB} in all) outside caches and build folders; what is larger is not saved",
        f"  stops    ao stop, ao pause, {_hangs_up(settings)}or {stops}",
    )


def _costing(title: str, costs: Mapping[str, float]) -> str:
    return f"{title} (last time {duration(costs[title])})" if title in costs else title


def _spending(settings: Settings) -> str:
    usd, tokens = settings.max_usd, settings.max_tokens
    if usd is None and tokens is None:
        return "money and tokens: no limit"
    money = "no limit" if usd is None else f"${usd:.2f}, of what the agent reports"
    return f"money: {money}; tokens: {'no limit' if tokens is None else tokens}"


def _hangs_up(settings: Settings) -> str:
    return "" if settings.detached else "Ctrl-C, closing this terminal (--detach outlives it), "


def staying_awake(settings: Settings, keeper: str) -> tuple[str, ...]:
    """Whether the machine may fall asleep under the session: a laptop that does works no night (design-review 2.2)."""
    if not settings.stay_awake:
        return ()
    if keeper:
        return (f"{keeper} keeps this machine awake until the session ends",)
    return ("this machine may fall asleep meanwhile: neither systemd-inhibit nor caffeinate can keep it awake here",)


def _short(path: str, here: Here) -> str:
    home = here.env.get("HOME", "")
    if path.startswith(here.repository.top + os.sep):
        return os.path.relpath(path, here.repository.top)
    return "~" + path[len(home) :] if home and path.startswith(home + os.sep) else path
