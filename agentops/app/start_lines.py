"""What a session may do, said before it does anything: nothing unlimited is silent (loop-peers B-L11)."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentops.app.opening import Here
from agentops.core.fitness import Goal
from agentops.core.processes import SandboxLevel
from agentops.evolve.rest import TRIES
from agentops.gate.systems import GateCommand
from agentops.policy.settings import Settings
from agentops.tree.ignored import ALL, ALL_IGNORED, BIGGEST, BIGGEST_IGNORED

_MIB = 1 << 20


def start_lines(
    settings: Settings, here: Here, level: SandboxLevel, commands: Sequence[GateCommand], goals: Sequence[Goal]
) -> tuple[str, ...]:
    """One line a fact, in the order in which a person wants to know."""
    cycles = "no limit" if settings.max_cycles is None else str(settings.max_cycles)
    agent = " ".join(settings.agent_command) if settings.agent_command else "none: only what `fix:` commands can mend"
    gate = ", ".join(command.title for command in commands) or "goals only"
    stops = ", ".join(_short(file.path, here) for file in here.stop_files)
    until = "" if settings.until is None else ", or at the time given with --until"
    return (
        f"  limits   cycles: {cycles}; {settings.hours:g} h of working time{until}; money and tokens: no limit;"
        f" {TRIES} fruitless cycles a target, {settings.attempts} tries a phase",
        f"  agent    {agent}",
        f"  place    in-place on {here.repository.branch}, sandbox {level}",
        f"  gate     {gate}; {len(goals)} goals",
        f"  saved    files up to {BIGGEST // _MIB} MiB ({ALL // _MIB} in all), ignored ones up to {BIGGEST_IGNORED // _MIB} MiB"
        f" ({ALL_IGNORED // _MIB} in all) outside caches and build folders; what is larger is not saved",
        f"  stops    ao stop, ao pause, or {stops}",
    )


def _short(path: str, here: Here) -> str:
    home = here.env.get("HOME", "")
    if path.startswith(here.repository.top + os.sep):
        return os.path.relpath(path, here.repository.top)
    return "~" + path[len(home) :] if home and path.startswith(home + os.sep) else path
