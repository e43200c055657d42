"""The worker `remedy`: the goal's own `fix:` command, else the fixers that its check names. A formatter needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentops.core.agents import AgentRun, Usage
from agentops.core.places import Place, Purpose, Start
from agentops.core.processes import Ended, Host, Limits
from agentops.core.stops import Scope
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.goals.checks import BASH
from agentops.rpi.fixers import OFFLINE
from agentops.rpi.fixing import Toolbox, fixing
from agentops.rpi.own_check import OwnCheck


class Remedy:
    """Mends, then runs the item's own check; when that still fails it declines and leaves the rest to the next worker."""

    name = "remedy"

    def __init__(self, host: Host, limits: Limits, toolbox: Toolbox | None = None) -> None:
        self._host = host
        self._limits = limits
        self._toolbox = toolbox
        self._check = OwnCheck(host)

    def declines(self, item: WorkItem) -> str | None:
        if item.fix:
            return None
        found = fixing(item, self._toolbox) if self._toolbox is not None else None
        if found is not None and found.texts:
            return None
        why = "; ".join(found.why_not) if found is not None else ""
        return why or "no `fix:` command, and its check names no fixer"

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        texts, offline = self._texts(item)
        runs: list[AgentRun] = []
        for text in texts:
            runs.append(self._run(text, item, place, start, scope, offline=offline))
            if runs[-1].stop is not None or scope.stopped() is not None:
                return Attempt(self.name, runs[-1].ended, runs=tuple(runs))
        ran, ended = " · ".join(texts), runs[-1].ended if runs else Ended.DECLINED
        if item.check is not None and item.metric is None and self._check.failure(item, place, scope) is not None:
            why = f"`{ran}` ended with {ended} and the check still fails"
            return Attempt(self.name, Ended.DECLINED, Claimed.NOTHING, runs=tuple(runs), declined=why)
        # A goal with a metric may have moved without passing yet; judging decides, not the worker.
        return Attempt(self.name, ended, Claimed.DONE, summary=f"ran its fix: {ran}", runs=tuple(runs))

    def _texts(self, item: WorkItem) -> tuple[Sequence[str], bool]:
        """What to run, and whether it was found by us: then it fetches nothing. A `fix:` may do what its owner wrote."""
        if item.fix:
            return (item.fix,), False
        return (fixing(item, self._toolbox).texts if self._toolbox is not None else ()), True

    def _run(self, text: str, item: WorkItem, place: Place, start: Start, scope: Scope, *, offline: bool) -> AgentRun:
        env = {"AO_TARGET": item.key, "AO_CYCLE": str(start.cycle), **(OFFLINE if offline else {})}
        argv = (*BASH, "-c", text)
        spec = place.spec(argv, Purpose.FIX, env=env, limits=self._limits, merged=True, start=start)
        if offline:
            spec = replace(spec, mounts=replace(spec.mounts, network=False))
        done = self._host.run(spec, scope)
        said = (done.out + done.out_tail).decode("utf-8", "replace").strip()
        return AgentRun(
            ended=Ended.ERROR if done.ended is Ended.OK and done.code else done.ended,
            text=said[-2000:],
            usage=Usage(seconds=done.seconds),
            error=done.error or None,
            level=str(done.level),
            survivors=done.survivors,
            stop=done.stop,
        )
