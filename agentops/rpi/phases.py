"""The worker `phases`: discovery, implementation, validation; always all three, each a fresh run, only files carry over."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from agentops.core.agents import Agent, AgentRun, Usage
from agentops.core.clock import Instant
from agentops.core.events import Event, Events
from agentops.core.journals import Journal, Step
from agentops.core.meters import Grant, Meter
from agentops.core.places import Place, Start
from agentops.core.processes import PAUSES, Ended
from agentops.core.stops import Scope, Stop
from agentops.core.work import AGENT_WORKER, Attempt, Claimed, WorkItem
from agentops.rpi.phase_folders import PhaseFolders
from agentops.rpi.prompting import render
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said

FINAL = {Said.PARTIAL: Claimed.PARTIAL, Said.BLOCKED: Claimed.BLOCKED, Said.FAIL: Claimed.FAIL}


@dataclass(frozen=True, slots=True)
class _Over:
    """The attempt is decided; nothing more is run."""

    attempt: Attempt


class Phases:
    """Hands an item to an agent. `asked_to_pause` is looked at between phases (`ao pause`)."""

    name = AGENT_WORKER

    def __init__(
        self,
        agent: Agent,
        folders: PhaseFolders,
        journal: Journal,
        events: Events,
        meter: Meter,
        *,
        attempts: int = 3,
        test_first: bool = True,
        asked_to_pause: Callable[[], bool] = lambda: False,
    ) -> None:
        self._agent = agent
        self._folders = folders
        self._journal = journal
        self._events = events
        self._meter = meter
        self._most = attempts
        self._test_first = test_first
        self._asked_to_pause = asked_to_pause

    def declines(self, item: WorkItem) -> str | None:
        return None

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        """Discovery until it passes, then implementation and validation in turn until validation passes; three tries each."""
        phase = Phase(resume) if resume else Phase.DISCOVERY
        runs: list[AgentRun] = []
        tries = dict.fromkeys(Phase, 0)
        reason = ""
        while True:
            leave = self._leave_to_run(phase, runs, scope)
            if isinstance(leave, Attempt):
                return leave
            tries[phase] += 1
            run, verdict = self._one(phase, tries[phase], item, place, start, scope, reason)
            self._meter.settle(leave, run.usage)
            runs.append(run)
            step = self._next(phase, tries[phase], run, verdict, runs)
            if isinstance(step, _Over):
                return step.attempt
            phase, reason = step

    def _next(
        self, phase: Phase, tried: int, run: AgentRun, verdict: PhaseVerdict | None, runs: list[AgentRun]
    ) -> _Over | tuple[Phase, str]:
        """What follows a run: the next phase with a reason, or the end of the attempt."""
        so_far = Attempt(self.name, run.ended, runs=tuple(runs), summary=verdict.summary if verdict else "")
        if run.stop is not None or run.ended in (Ended.AUTH, Ended.BAD_CONFIG, Ended.SPAWN_ERROR):
            return _Over(so_far)
        if run.ended in PAUSES and run.retry_at is not None:
            return _Over(replace(so_far, parked_until=run.retry_at, parked_phase=str(phase)))
        last = tried >= self._most
        if verdict is None:
            reason = f"it ended with `{run.ended}` and gave no verdict" + (f": {run.error}" if run.error else "")
            return _Over(so_far) if last else (phase, reason)
        match phase, verdict.said:
            case _, Said.SCOPE_ESCAPE:
                return _Over(replace(so_far, claimed=Claimed.SCOPE_ESCAPE))
            case _, Said.ALREADY_DONE:
                return _Over(replace(so_far, claimed=Claimed.ALREADY_DONE))
            case Phase.VALIDATION, Said.PASS | Said.DONE | Said.WARN:
                return _Over(replace(so_far, claimed=Claimed.DONE))
            case Phase.DISCOVERY, Said.PASS | Said.DONE | Said.WARN:
                return Phase.IMPLEMENTATION, ""
            case Phase.IMPLEMENTATION, Said.PASS | Said.DONE:
                return Phase.VALIDATION, ""
            case _:
                why = "\n".join((verdict.summary, *verdict.findings)).strip() or str(verdict.said)
                again = Phase.DISCOVERY if phase is Phase.DISCOVERY else Phase.IMPLEMENTATION
                return _Over(replace(so_far, claimed=FINAL[verdict.said])) if last else (again, why)

    def _leave_to_run(self, phase: Phase, runs: list[AgentRun], scope: Scope) -> Grant | Attempt:
        """Asked before every run: leave to spend, or the attempt as a stop, a pause or an empty budget ends it."""
        stopped = scope.stopped()
        if stopped is not None:
            return Attempt(self.name, Ended.KILLED, runs=tuple(runs), summary=stopped.detail)
        if self._asked_to_pause():
            return Attempt(self.name, Ended.OK, runs=tuple(runs), parked_phase=str(phase))
        leave = self._meter.reserve(self._agent.name, Usage())
        match leave:
            case Grant():
                return leave
            case Stop():
                return Attempt(self.name, Ended.KILLED, runs=tuple(runs), summary=leave.detail)
            case Instant():
                return Attempt(self.name, Ended.LIMIT, runs=tuple(runs), parked_until=leave, parked_phase=str(phase))

    def _one(
        self, phase: Phase, attempt: int, item: WorkItem, place: Place, start: Start, scope: Scope, reason: str
    ) -> tuple[AgentRun, PhaseVerdict | None]:
        """One fresh run in a fresh folder."""
        # Not synced: `started` is on the disk, and after a power cut no phase goes on, whatever its name was.
        self._journal.note(Step.PHASE, durable=False, cycle=start.cycle, phase=phase, attempt=attempt)
        self._events.emit(Event.PHASE_STARTED, cycle=start.cycle, phase=phase, attempt=attempt, target=item.key)
        folder = self._folders.open(start, phase, attempt, place)
        env = {
            "AO_CYCLE": str(start.cycle),
            "AO_PHASE": str(phase),
            "AO_ATTEMPT": str(attempt),
            "AO_TARGET": item.key,
            "AO_PHASE_DIR": folder.path,
        }
        prompt = render(
            phase,
            item,
            phase_dir=folder.path,
            earlier=self._folders.finished(start),
            reason=reason,
            test_first=self._test_first,
        )
        run = self._agent.run(prompt, place, scope, start=start, env=env)
        verdict = self._folders.close(folder, run)
        if run.ended in PAUSES and run.retry_at is not None:
            self._meter.pause(self._agent.name, run.retry_at)
        self._events.emit(
            Event.PHASE_ENDED,
            cycle=start.cycle,
            phase=phase,
            attempt=attempt,
            ended=run.ended,
            said=verdict.said if verdict else None,
            seconds=round(run.usage.seconds, 3),
            transcript=os.path.basename(run.transcript),
            survivors=run.survivors,
        )
        return run, verdict
