"""An agent without a model: what it does to the tree and what it claims are both dice."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock

GOOD, BAD = b"good", b"bad"


class ScriptedAgent:
    """Does what `act` says, takes `seconds`, prints `says` and ends with `code`; told to stop, it ends at once."""

    name = "scripted"

    def __init__(
        self, clock: VirtualClock, act: Callable[[], None], *, says: str = "", code: int = 0, seconds: float = 1.0
    ) -> None:
        self._clock, self._act, self._says, self._code, self._seconds = clock, act, says, code, seconds

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        if (stop := scope.stopped()) is not None:
            return AgentRun(Ended.KILLED, stop=stop)
        self._clock.pass_(self._seconds)
        self._act()
        return AgentRun(Ended.ERROR if self._code else Ended.OK, text=self._says, usage=Usage(self._seconds))


class TwinAgent:
    """Goal `g3` passes while the file `g3` is good. It mends, breaks others, lies, hits limits, commits, or does nothing."""

    name = "twin"

    def __init__(self, tree: TwinPlace, clock: VirtualClock, rng: random.Random) -> None:
        self._tree, self._clock, self._rng = tree, clock, rng

    def run(self, prompt: str, place: Place, scope: Scope, *, start: Start, env: Mapping[str, str]) -> AgentRun:
        took = self._rng.uniform(1.0, 120.0)
        self._clock.pass_(took)
        if (stop := scope.stopped()) is not None:
            return AgentRun(Ended.KILLED, stop=stop, usage=Usage(took))
        dice = self._rng.random()
        if dice < 0.03:
            return AgentRun(Ended.LIMIT, usage=Usage(took), retry_at=self._clock.now().plus(self._rng.uniform(1, 7200)))
        if dice < 0.06:
            return AgentRun(Ended.ERROR, error="it broke", usage=Usage(took))
        if env["AO_PHASE"] == "implementation":
            self._act(env["AO_TARGET"])
        word = {"discovery": "PASS", "implementation": "DONE", "validation": "PASS"}[env["AO_PHASE"]]
        if self._rng.random() < 0.1:
            word = {"discovery": "FAIL", "implementation": "PARTIAL", "validation": "FAIL"}[env["AO_PHASE"]]
        return AgentRun(Ended.OK, text=f"<promise>{word}</promise>", usage=Usage(took, 100, 10))

    def _act(self, target: str) -> None:
        dice = self._rng.random()
        if dice < 0.6:
            self._tree.write(target, GOOD)
        if 0.5 < dice < 0.75:
            self._tree.write(f"g{self._rng.randrange(8)}", BAD)
        if dice < 0.8:
            self._tree.write(f"junk{self._rng.randrange(20)}", self._rng.randbytes(4))
        if self._rng.random() < 0.3:
            self._tree.commit(mine=True)
