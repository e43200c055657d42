"""The worker `phases`: discovery, implementation, validation; always all three, each a fresh run, only files carry over."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from agentops.core.agents import Agent, AgentRun, Usage
from agentops.core.clock import Instant
from agentops.core.events import Event, Events
from agentops.core.journals import Journal, Step
from agentops.core.meters import Grant, Meter
from agentops.core.places import Effect, Place, Start
from agentops.core.processes import PAUSES, Ended
from agentops.core.stops import Scope, Stop
from agentops.core.work import AGENT_WORKER, Attempt, Claimed, WorkItem
from agentops.rpi.crew import Crew, Member
from agentops.rpi.follow_ups import FollowUp, to_harvest
from agentops.rpi.handing_over import SHORT_WAIT, back_to_phase_start
from agentops.rpi.packet import packet_of, result_of
from agentops.rpi.phase_folders import PhaseFolders
from agentops.rpi.prompting import Given, Prompts
from agentops.rpi.slices import Wave, first_wave
from agentops.rpi.steps import Next, Over, Went, after
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said

Confirm = Callable[[WorkItem, Place, Scope], str | None]
"""Why an item's own check fails now; None when it passes."""
Harvest = Callable[[WorkItem, Place, Start, Sequence[FollowUp]], int]
"""Queues follow-ups in the place, where they are not queued yet; how many are new."""
_HARVESTED = frozenset({Claimed.DONE, Claimed.SCOPE_ESCAPE, Claimed.BLOCKED})
"""Ends whose follow-ups are worth a row: what a failed attempt would have liked to do next is not."""


@dataclass(frozen=True, slots=True)
class _Leave:
    """Who may run the phase now."""

    member: Member
    grant: Grant


@dataclass(slots=True)
class _Course:
    """One item's way through the phases. `seconds` and `tries` by phase; `said`: each phase's last verdict; `worked`: who did
    the last implementation.
    """

    item: WorkItem
    place: Place
    start: Start
    scope: Scope
    runs: list[AgentRun] = field(default_factory=list)
    said: dict[Phase, PhaseVerdict] = field(default_factory=dict)
    seconds: dict[Phase, float] = field(default_factory=dict)
    tries: dict[Phase, int] = field(default_factory=lambda: dict.fromkeys(Phase, 0))
    worked: str = ""

    @property
    def wave(self) -> Wave:
        plan = self.said.get(Phase.DISCOVERY)
        return first_wave(plan.slices) if plan is not None else Wave()

    def attempt(self, ended: Ended, summary: str = "") -> Attempt:
        doubts = tuple(f"{phase}: {one}" for phase, said in self.said.items() for one in said.doubts)
        phases = {str(phase): round(took, 3) for phase, took in self.seconds.items()}
        return Attempt(AGENT_WORKER, ended, summary=summary, runs=tuple(self.runs), doubts=doubts, phases=phases)


class Phases:
    """Hands an item to an agent, or to a crew of them. `asked_to_pause` is looked at between phases (`ao pause`)."""

    name = AGENT_WORKER

    def __init__(
        self,
        agent: Agent | Crew,
        folders: PhaseFolders,
        journal: Journal,
        events: Events,
        meter: Meter,
        prompts: Prompts,
        *,
        confirm: Confirm,
        harvest: Harvest,
        attempts: int = 3,
        test_first: bool = True,
        asked_to_pause: Callable[[], bool] = lambda: False,
    ) -> None:
        self._crew = agent if isinstance(agent, Crew) else Crew((Member(agent, agent.name),))
        self._folders = folders
        self._journal = journal
        self._events = events
        self._meter = meter
        self._prompts = prompts
        self._confirm = confirm
        self._harvest = harvest
        self._most = attempts
        self._test_first = test_first
        self._asked_to_pause = asked_to_pause

    def declines(self, item: WorkItem) -> str | None:
        return None

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        """Discovery until it passes, then implementation and validation in turn until validation passes; three tries each."""
        course = _Course(item, place, start, scope)
        if resume is None:
            self._folders.begin(start)
        step = self._resumed(course, Phase(resume)) if resume else Next(Phase.DISCOVERY)
        leave = self._leave_to_run(step.phase, course)
        while isinstance(leave, _Leave):
            begun = place.effect(start) if self._crew.falls_back else None
            course.tries[step.phase] += 1
            went, decided = self._one(step, course, leave)
            if isinstance(decided, Next):
                step = decided
                leave = self._leave_to_run(step.phase, course)
            elif (taker := self._taker(decided, begun, went, leave.member, course)) is None:
                return self._over(course, went, decided)
            else:
                course.tries[step.phase] -= 1
                leave = taker
        return leave

    def _taker(self, decided: Over, begun: Effect | None, went: Went, limited: Member, course: _Course) -> _Leave | None:
        """Who goes on from the phase's start when a limit interrupted it; None where nobody can, or waiting is better."""
        if not decided.parked or begun is None:
            return None
        leave = self._leave_to_run(went.phase, course)
        if not isinstance(leave, _Leave):
            return None
        left = back_to_phase_start(course.place, course.start, begun) if leave.member is not limited else frozenset()
        words = (
            f"{limited.name} is limited ({went.run.error or went.run.ended}); {leave.member.name} starts the {went.phase} anew"
        )
        theirs = f"; left as someone else changed them: {', '.join(sorted(left)[:5])}" if left else ""
        self._events.emit(Event.NOTICE, text=words + theirs)
        return leave

    def _resumed(self, course: _Course, phase: Phase) -> Next:
        """Where a parked cycle goes on, maybe in another run: its finished tries count, the one cut off does not."""
        over = [one for one in self._folders.results(course.start) if one.status != "started"]
        for one in over:
            course.tries[Phase(one.phase_name)] += 1
        reason = over[-1].error if over and over[-1].status == "retrying" else ""
        plan = self._folders.said(course.start, Phase.DISCOVERY)
        if plan is not None and phase is not Phase.DISCOVERY:
            course.said[Phase.DISCOVERY] = plan
        return Next(phase, reason, again=bool(reason))

    def _over(self, course: _Course, went: Went, decided: Over) -> Attempt:
        """The attempt as it was decided; what it leaves for later is queued first, as part of its effect."""
        attempt = course.attempt(went.run.ended, went.verdict.summary if went.verdict else "")
        if decided.parked:
            return replace(attempt, parked_until=went.run.retry_at, parked_phase=str(went.phase))
        if decided.claimed in _HARVESTED:
            found = [one for said in course.said.values() for one in said.follow_ups]
            if decided.claimed is Claimed.DONE:
                found += [
                    FollowUp(one.title, f"Left over from: {course.item.title}", files=one.files) for one in course.wave.later
                ]
            self._harvest(course.item, course.place, course.start, to_harvest(found, course.item.title))
        return replace(attempt, claimed=decided.claimed)

    def _leave_to_run(self, phase: Phase, course: _Course) -> _Leave | Attempt:
        """Asked before every run: who may spend, or the attempt as a stop, a pause or an empty budget ends it."""
        stopped = course.scope.stopped()
        if stopped is not None:
            return course.attempt(Ended.KILLED, stopped.detail)
        if self._asked_to_pause():
            return replace(course.attempt(Ended.OK), parked_phase=str(phase))
        waits: list[Instant] = []
        for member in self._crew.order(phase, course.worked):
            match self._meter.reserve(member.account, Usage()):
                case Grant() as grant:
                    return _Leave(member, grant)
                case Stop() as stop:
                    return course.attempt(Ended.KILLED, stop.detail)
                case Instant() as until:
                    waits.append(until)
                    if until.mono - course.scope.clock.now().mono <= SHORT_WAIT:
                        break
        return replace(course.attempt(Ended.LIMIT), parked_until=min(waits), parked_phase=str(phase))

    def _one(self, step: Next, course: _Course, leave: _Leave) -> tuple[Went, Next | Over]:
        """One fresh run in a fresh folder; what it left is read, noted and told."""
        phase, start, attempt, member = step.phase, course.start, course.tries[step.phase], leave.member
        # Not synced: `started` is on the disk, and after a power cut no phase goes on, whatever its name was.
        self._journal.note(Step.PHASE, durable=False, cycle=start.cycle, phase=phase, attempt=attempt)
        self._events.emit(
            Event.PHASE_STARTED, cycle=start.cycle, phase=phase, attempt=attempt, target=course.item.key, agent=member.name
        )
        began = course.scope.clock.now()
        folder = self._folders.open(start, phase, attempt, course.place)
        env = {
            "AO_CYCLE": str(start.cycle),
            "AO_PHASE": str(phase),
            "AO_ATTEMPT": str(attempt),
            "AO_TARGET": course.item.key,
            "AO_PHASE_DIR": folder.path,
        }
        given = Given(
            item=course.item,
            phase_dir=folder.path,
            earlier=tuple(self._folders.finished(start)),
            reason=step.reason,
            again=step.again,
            test_first=self._test_first,
            wave=course.wave,
        )
        run = member.agent.run(self._prompts.render(phase, given), course.place, course.scope, start=start, env=env)
        verdict = self._folders.close(folder, run)
        self._meter.settle(leave.grant, run.usage)
        if run.ended in PAUSES and run.retry_at is not None:
            self._meter.pause(member.account, run.retry_at)
        if phase is Phase.IMPLEMENTATION:
            course.worked = member.name
        course.runs.append(run)
        course.seconds[phase] = course.seconds.get(phase, 0.0) + run.usage.seconds
        if verdict is not None:
            course.said[phase] = verdict
        went = Went(phase, run, verdict, self._refuted(course, verdict))
        decided = after(went, course.tries, self._most)
        ended = course.scope.clock.now()
        self._folders.note(folder, result_of(went, decided, start, attempt, member.name, began, ended))
        if phase is Phase.DISCOVERY and isinstance(decided, Next) and decided.phase is Phase.IMPLEMENTATION:
            self._folders.hand_on(start, packet_of(course.item, start, verdict, folder.home, ended.wall))
        self._events.emit(
            Event.PHASE_ENDED,
            cycle=start.cycle,
            phase=phase,
            attempt=attempt,
            ended=run.ended,
            agent=member.name,
            said=verdict.said if verdict else None,
            error=run.error,
            seconds=round(run.usage.seconds, 3),
            transcript=os.path.basename(run.transcript),
            survivors=run.survivors,
            **({"doubts": verdict.doubts} if verdict and verdict.doubts else {}),
        )
        return went, decided

    def _refuted(self, course: _Course, verdict: PhaseVerdict | None) -> str | None:
        """ALREADY_DONE is confirmed by the item's own check, which costs less than a validation that believes it."""
        if verdict is None or verdict.said is not Said.ALREADY_DONE or course.item.check is None:
            return None
        return self._confirm(course.item, course.place, course.scope)
