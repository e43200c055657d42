"""Each agent answers one tiny prompt before the session starts: not logged in at 23:00 must not be found out at 07:00."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentops.agents.running import AdapterAgent
from agentops.core.agents import AgentRun, Usage
from agentops.core.clock import Clock
from agentops.core.errors import EnvironmentUnusable
from agentops.core.meters import Grant, Meter
from agentops.core.places import Purpose, Start, Startable
from agentops.core.processes import PAUSES, Ended, Host, Limits, Spec
from agentops.core.stops import Scope
from agentops.host.folders import drop_folder, fresh_folder
from agentops.rpi.crew import Crew, Member
from agentops.views.times import duration

PROMPT = "Answer with the single word READY. Use no tools, read no files, change nothing."
SECONDS = 180.0
VERSION_SECONDS = 10.0


class AgentNotReady(EnvironmentUnusable):
    """An agent does not answer."""


@dataclass(frozen=True, slots=True)
class Elsewhere(Startable):
    """The real place's environment and mounts, in another folder."""

    place: Startable
    folder: str

    def spec(
        self,
        argv: Sequence[str],
        purpose: Purpose,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
        writable: Sequence[str] = (),
        merged: bool = False,
        start: Start | None = None,
    ) -> Spec:
        there = self.place.spec(
            argv, purpose, env=env, stdin=stdin, limits=limits, writable=(*writable, self.folder), merged=merged, start=start
        )
        return replace(there, cwd=self.folder)


class Preflight:
    """Asks everyone of a crew. `folder`: where the empty scratch folders are made; `say`: one line each."""

    def __init__(self, place: Startable, host: Host, clock: Clock, meter: Meter, folder: str, say: Callable[[str], None]) -> None:
        self._place, self._host, self._clock, self._meter, self._folder, self._say = place, host, clock, meter, folder, say

    def ask(self, crew: Crew, scope: Scope) -> None:
        """Raises AgentNotReady with the command that mends it. One that is limited is paused: that is no reason to refuse."""
        for member in crew.members:
            if isinstance(member.agent, AdapterAgent) and scope.stopped() is None:
                self._one(member, member.agent, scope)

    def _one(self, member: Member, agent: AdapterAgent, scope: Scope) -> None:
        leave = self._meter.reserve(member.account, Usage())
        if not isinstance(leave, Grant):
            return  # paused or over its budget: the loop says so itself
        folder = fresh_folder(os.path.join(self._folder, "preflight", member.name))
        try:
            there = Elsewhere(self._place, folder)
            version = self._version(agent, there, scope)
            self._say(f"asking {member.name}{version} for one word")
            env = {"AO_PHASE": "preflight", "AO_PHASE_DIR": folder}
            limits = Limits(total=SECONDS)
            run = agent.ask(PROMPT, there, scope, env=env, transcript=f"preflight-{member.name}.log", limits=limits)
        finally:
            drop_folder(folder)
        self._meter.settle(leave, run.usage)
        self._judge(member, agent, run)

    def _judge(self, member: Member, agent: AdapterAgent, run: AgentRun) -> None:
        if run.ended is Ended.OK:
            self._say(f"{member.name} answers ({duration(run.usage.seconds)})")
        elif run.ended in PAUSES and run.retry_at is not None:
            self._meter.pause(member.account, run.retry_at)
            wait = duration(run.retry_at.mono - self._clock.now().mono)
            self._say(f"{member.name} is limited now and is asked again in {wait}: {run.error or run.ended}")
        elif run.ended is Ended.AUTH:
            mend = agent.adapter.login or f"{agent.adapter.programs[0]} --help"
            raise AgentNotReady(f"{member.name} is not logged in: {run.error or run.ended}", mend=mend)
        elif run.stop is None:
            said = f": {run.error}" if run.error else ""
            raise AgentNotReady(
                f"{member.name} was asked for one word and ended with `{run.ended}`{said}",
                mend=f"less {run.transcript}   ·   ao evolve --no-preflight   (start all the same)",
            )

    def _version(self, agent: AdapterAgent, there: Startable, scope: Scope) -> str:
        """` 2.1.177`, as it says itself; empty where it does not say."""
        if not agent.adapter.version:
            return ""
        limits = Limits(total=VERSION_SECONDS)
        done = self._host.run(there.spec((agent.program, *agent.adapter.version), Purpose.AGENT, limits=limits), scope)
        words = done.out.decode("utf-8", "replace").split("\n")[0].split()
        numbered = [word for word in words if word[:1].isdigit() and "." in word]
        return f" {numbered[0][:40]}" if done.good and numbered else ""
