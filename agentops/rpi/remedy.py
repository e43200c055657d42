"""The worker `remedy`: the goal's own `fix:` command. A formatter needs no model."""

from __future__ import annotations

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Purpose, Start
from agentops.core.processes import Ended, Host, Limits
from agentops.core.stops import Scope
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.goals.checks import BASH
from agentops.rpi.own_check import OwnCheck


class Remedy:
    """Runs `fix:`, then the item's own check; when that still fails it declines and leaves the rest to the next worker."""

    name = "remedy"

    def __init__(self, host: Host, limits: Limits) -> None:
        self._host = host
        self._limits = limits
        self._check = OwnCheck(host)

    def declines(self, item: WorkItem) -> str | None:
        return None if item.fix else "no `fix:` command"

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        argv = (*BASH, "-c", item.fix or "false")
        env = {"AO_TARGET": item.key, "AO_CYCLE": str(start.cycle)}
        done = self._host.run(place.spec(argv, Purpose.FIX, env=env, limits=self._limits, merged=True, start=start), scope)
        said = (done.out + done.out_tail).decode("utf-8", "replace").strip()
        ended = Ended.ERROR if done.ended is Ended.OK and done.code else done.ended
        run = AgentRun(
            ended=ended,
            text=said[-2000:],
            usage=Usage(seconds=done.seconds),
            error=done.error or None,
            level=str(done.level),
            survivors=done.survivors,
            stop=done.stop,
        )
        if done.stop is not None or scope.stopped() is not None:
            return Attempt(self.name, ended, runs=(run,))
        if item.check is not None and self._check.failure(item, place, scope) is not None and not _measured(item):
            why = f"its fix ended with {ended if done.code is None else done.code} and the check still fails"
            return Attempt(self.name, Ended.DECLINED, Claimed.NOTHING, runs=(run,), declined=why)
        return Attempt(self.name, ended, Claimed.DONE, summary=f"ran its fix: {item.fix}", runs=(run,))


def _measured(item: WorkItem) -> bool:
    """A goal with a metric may have moved without passing yet; judging decides, not the worker."""
    return item.metric is not None
