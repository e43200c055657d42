"""Who runs which phase: the agents in the order in which they are asked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentops.core.agents import Agent
from agentops.rpi.verdicts import Phase


@dataclass(frozen=True, slots=True)
class Member:
    """An agent, and the account whose limits and budget it shares with others."""

    agent: Agent
    account: str

    @property
    def name(self) -> str:
        return self.agent.name


class Crew:
    """`chain`: who works, then who takes over where that one is limited. `named`: phases for which the owner named someone.

    Validation goes to another agent than the one that did the work, where there is one: it does not know what was meant, and
    sees what is there.
    """

    def __init__(self, chain: Sequence[Member], named: Mapping[Phase, Member] | None = None) -> None:
        if not chain:
            raise ValueError("a crew needs somebody")
        self._chain = tuple(chain)
        self._named = dict(named or {})

    @property
    def members(self) -> tuple[Member, ...]:
        """Everyone, each once."""
        return tuple({one.name: one for one in (*self._chain, *self._named.values())}.values())

    @property
    def falls_back(self) -> bool:
        """Whether anyone can take over from another."""
        return len(self.members) > 1

    def order(self, phase: Phase, worked: str = "") -> tuple[Member, ...]:
        """Who is asked to run the phase, the first choice first. `worked`: who did the work; unknown, the first is meant."""
        worked = worked or self._first(Phase.IMPLEMENTATION).name
        order = [self._named[phase]] if phase in self._named else []
        if phase is Phase.VALIDATION and not order:
            order = [one for one in self._chain if one.name != worked]
        order += self._chain
        return tuple({one.name: one for one in order}.values())

    def _first(self, phase: Phase) -> Member:
        return self._named.get(phase, self._chain[0])
