"""Gate commands: which test commands a repository has, running them, and what they say of a cycle's work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentops.core.judging import Finding
from agentops.core.places import Effect, Place, Start
from agentops.core.processes import Host
from agentops.core.stops import Scope


@dataclass(frozen=True, slots=True)
class GateCommand:
    """One command of the gate. `number` counts from 1; `nothing_ran`: exit codes that mean that there was nothing to run."""

    number: int
    argv: tuple[str, ...]
    title: str
    nothing_ran: frozenset[int] = frozenset()
    env: tuple[tuple[str, str], ...] = ()


def detect(top: str, env: Mapping[str, str], host: Host, scope: Scope) -> tuple[GateCommand, ...]:
    raise NotImplementedError


class CommandsCheck:
    """The gate commands as a check of a cycle."""

    name = "commands"

    def __init__(self, commands: tuple[GateCommand, ...], host: Host, limit: float = 20 * 60.0) -> None:
        self._commands = commands
        self._host = host
        self._limit = limit

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        raise NotImplementedError

    def fails_again(self, subjects: frozenset[str], place: Place, scope: Scope) -> frozenset[str]:
        raise NotImplementedError
