"""Gate commands that the owner wrote down, in place of what the repository's build systems offer."""

from __future__ import annotations

from collections.abc import Iterable

from agentops.gate.systems import GateCommand


def named(commands: Iterable[str]) -> tuple[GateCommand, ...]:
    """Each line as bash reads it, in order; of equal ones the first (a second run would prove nothing new)."""
    lines = dict.fromkeys(line.strip() for line in commands if line.strip())
    return tuple(GateCommand(number, ("bash", "--noprofile", "--norc", "-c", line), line) for number, line in enumerate(lines, 1))
