"""An agent whose every try is written down beforehand: how long it takes, what it does, and how it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope
from tests.night.jumping import JumpingClock


class PowerCut(BaseException):
    """The supervisor is gone; nothing that it could still have done happens."""


def _nothing() -> None:
    return None


@dataclass(frozen=True)
class Try:
    """`minutes` of each phase; `act` is done by the implementation, `says` is its word. `limit_hours`: it runs into a limit
    that is over then. `cut`: the machine loses its power in the middle.
    """

    minutes: float
    act: Callable[[], None] = _nothing
    says: str = "DONE"
    limit_hours: float = 0.0
    cut: bool = False


class NightAgent:
    """Implements `Agent`. The last try of a target is repeated for every further one."""

    name = "claude"

    def __init__(self, clock: JumpingClock, tries: Mapping[str, list[Try]]) -> None:
        self._clock, self._tries = clock, tries
        self._limited: set[tuple[str, int]] = set()
        self._cycles: dict[str, list[int]] = {}
        self.runs: Counter[str] = Counter()

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        target, phase = env["AO_TARGET"], env["AO_PHASE"]
        seen = self._cycles.setdefault(target, [])
        if start.cycle not in seen:
            seen.append(start.cycle)
        number = min(len(seen), len(self._tries[target])) - 1
        given = self._tries[target][number]
        self.runs[target] += 1
        ends = self._clock.now().plus(given.minutes * 60.0)
        while scope.stopped() is None and (left := ends.mono - self._clock.now().mono) > 0:
            self._clock.jump(min(left, 30.0))
        usage = Usage(given.minutes * 60.0, 30_000, 2_000, None if phase == "validation" and number else 0.11)
        if (stop := scope.stopped()) is not None:
            return AgentRun(Ended.KILLED, stop=stop, usage=usage)
        word = "PASS"
        if phase == "implementation":
            if given.limit_hours and (target, number) not in self._limited:
                self._limited.add((target, number))
                return AgentRun(Ended.LIMIT, usage=usage, retry_at=self._clock.now().plus(given.limit_hours * 3600.0))
            given.act()
            if given.cut:
                raise PowerCut
            word = given.says
        return AgentRun(Ended.OK, text=f"What I did for {target}.\n<promise>{word}</promise>", usage=usage, level="bwrap")
