"""One cycle as a transaction: opened → claimed → started → work → ended → verdict → settled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agentops.core.events import Event
from agentops.core.fitness import Fitness
from agentops.core.journals import InFlight, Step
from agentops.core.judging import ReasonKind, Verdict
from agentops.core.places import Effect, Settled, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope
from agentops.core.work import AGENT_WORKER, Attempt, Claimed, Source, WorkItem
from agentops.evolve.judging import Case, Red, judge, without_verdict
from agentops.evolve.outcomes import Outcome
from agentops.evolve.own_files import OUR_FILES, without_ours
from agentops.evolve.parking import Parking
from agentops.evolve.parts import Parts
from agentops.evolve.report import Pause
from agentops.evolve.rows import row_of
from agentops.evolve.settling import release, settle
from agentops.records.rows import CycleRow
from agentops.records.times import utc_text

HARVESTED = "harvested"
"""The rung whose claims other tools look at."""
NOBODYS_FAULT = frozenset({ReasonKind.INTERRUPTED, ReasonKind.CONTESTED, ReasonKind.GATE_ERROR, ReasonKind.ALREADY_DONE})
"""Ends of a cycle that say nothing about what the worker did."""


@dataclass(frozen=True, slots=True)
class Declined:
    """No worker could do it and nothing was changed: no row, the number is free again."""

    why: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A cycle with an outcome. `after`: the goals on its result, where they were measured; `sha`: HEAD when all was settled."""

    outcome: Outcome
    verdict: Verdict
    effect: Effect
    after: Fitness | None
    contested: frozenset[str]
    attempt: Attempt
    row: CycleRow
    sha: str
    red: Red = frozenset()


class Cycle:
    """Runs one item through. `declined` remembers, for the session, which worker gave up on which item."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._parking = Parking(parts)
        self.declined: dict[tuple[str, str], str] = {}

    @property
    def pauses(self) -> Iterable[Pause]:
        """The times in which a cycle of this start was parked."""
        return self._parking.pauses

    def able(self, item: WorkItem) -> str | None:
        """Why no worker can do this item; None when one can. In the words of the last one asked."""
        why = "no worker"
        for worker in self._parts.workers:
            gave_up = self.declined.get((worker.name, item.key)) or worker.declines(item)
            if gave_up is None:
                return None
            why = f"{worker.name}: {gave_up}"
        return why

    def run(
        self, start: Start, item: WorkItem, source: Source, before: Fitness | None, scope: Scope, red: Red = frozenset()
    ) -> Ran | Declined:
        """The whole transaction. A stop in the middle makes it `interrupted`; it is settled all the same."""
        parts = self._parts
        parts.journal.opened(start.cycle, item)
        token = source.claim(item)
        if token is None:
            parts.journal.note(Step.DECLINED, cycle=start.cycle)
            return Declined("someone else has claimed it")
        parts.journal.note(Step.CLAIMED, durable=False, cycle=start.cycle, token=token)
        parts.journal.note(Step.STARTED, cycle=start.cycle, start=start, before=without_output(before))
        parts.events.emit(Event.CYCLE_STARTED, cycle=start.cycle, target=item.key, title=item.title, source=item.source)
        if item.source == HARVESTED:
            parts.telemetry.project(**claimed(start.cycle, item, utc_text(parts.clock.now().wall)))
        parts.guard.remember()
        flight = InFlight(start.cycle, parts.run, Step.STARTED, item, parts.clock.now().wall, token=token, start=start)
        return self.go_on(replace(flight, agent=parts.journal.agent, before=before), scope, red=red)

    def go_on(self, flight: InFlight, scope: Scope, resume: str | None = None, red: Red = frozenset()) -> Ran | Declined:
        """Work, judge, settle; also where a parked cycle of an earlier run continues."""
        parts = self._parts
        began = parts.clock.now()
        start, attempt = self._work(flight, scope, resume)
        touched = parts.guard.put_back()
        effect = without_ours(parts.place.effect(start))
        kept = without_verdict(attempt)
        fresh = parts.guard.new_items
        flight = replace(flight, start=start, attempt=kept, effect=effect, new_items=fresh, step=Step.ENDED)
        parts.journal.note(Step.ENDED, cycle=start.cycle, attempt=kept, effect=effect, new_items=fresh)
        if attempt.declined is not None and effect.empty:
            release(flight, parts)
            parts.journal.note(Step.DECLINED, cycle=start.cycle)
            parts.events.emit(Event.DECLINED, cycle=start.cycle, target=flight.item.key, why=attempt.declined)
            return Declined(attempt.declined)
        case = Case(flight.item, start, kept, effect, flight.before, frozenset(touched), red, fresh)
        seconds = flight.seconds + parts.clock.now().mono - began.mono
        return self.conclude(replace(flight, seconds=seconds), case, scope)

    def unpark(self, start: Start, effect: Effect) -> Start | None:
        """Put parked work back on the tree; None when it no longer fits."""
        return self._parking.unpark(start, effect)

    def conclude(self, flight: InFlight, case: Case, scope: Scope) -> Ran:
        """Verdict, commit point, settling. Recovery enters here when the work had ended before the crash."""
        parts = self._parts
        began = parts.clock.now()
        judged = judge(case, parts, scope)
        goals = judged.after or case.before
        flight = replace(
            flight,
            step=Step.VERDICT,
            verdict=judged.verdict,
            passing=goals.passing if goals else None,
            total=len(goals.goals) if goals else None,
            seconds=flight.seconds + parts.clock.now().mono - began.mono,
        )
        parts.journal.note(
            Step.VERDICT,
            cycle=flight.cycle,
            verdict=flight.verdict,
            effect=flight.effect,
            attempt=flight.attempt,
            passing=flight.passing,
            total=flight.total,
            seconds=round(flight.seconds, 3),
        )
        if case.attempt.worker != AGENT_WORKER and not judged.verdict.keep and judged.verdict.reason.kind not in NOBODYS_FAULT:
            # A command does the same again: the next cycle is for whoever could do it differently.
            self.declined[case.attempt.worker, case.item.key] = f"what it does was taken back ({judged.verdict.reason})"
        if judged.after is not None:
            parts.goals.publish(judged.after, after=True)
        done, outcome = settle(flight, parts)
        settled = done.settled or Settled(sha=case.start.pre.head)
        row = row_of(done, parts.session, parts.clock.now().wall)
        head = done.log_sha or settled.sha
        return Ran(outcome, judged.verdict, case.effect, judged.after, settled.contested, case.attempt, row, head, judged.red)

    def _work(self, flight: InFlight, scope: Scope, resume: str | None) -> tuple[Start, Attempt]:
        """The first worker that does not decline works; one that gives up hands a clean tree to the next."""
        if flight.start is None:
            raise ValueError("work needs a start")
        parts, item, start = self._parts, flight.item, flight.start
        already = parts.gate.already(item, parts.place, scope) if resume is None else None
        if already is not None:
            parts.place.tidy(start.pre, OUR_FILES)  # what its check left behind is nobody's work
        if already:
            return start, Attempt("none", Ended.OK, Claimed.ALREADY_DONE, "its own check passes before any work")
        attempt = Attempt("none", Ended.DECLINED, declined="no worker can do it")
        for worker in parts.workers:
            why = self.declined.get((worker.name, item.key)) or worker.declines(item)
            if why is not None or (resume is not None and worker.name != AGENT_WORKER):
                continue
            start, attempt = self._parking.through(worker, flight, start, scope, resume)
            if attempt.declined is None:
                return start, attempt
            self.declined[worker.name, item.key] = attempt.declined
            parts.events.emit(Event.DECLINED, cycle=start.cycle, target=item.key, worker=worker.name, why=attempt.declined)
            effect = without_ours(parts.place.effect(start))
            if not effect.empty or effect.ignored:
                parts.place.set_aside(start, effect)
        return start, attempt


def claimed(cycle: int, item: WorkItem, at: str) -> dict[str, object]:
    """A claim as readers of the session's projection know it (agentops 7)."""
    ref = f"source_epic={item.origin}:item={item.title}"
    work = {"ref": ref, "claimed_by": f"evolve:cycle-{cycle}", "claimed_at": at}
    return {"cycle": cycle, "last_selected_source": item.source, "claimed_work": work}


def without_output(fitness: Fitness | None) -> Fitness | None:
    """A measurement as the journal keeps it: what passed and failed, not what was printed."""
    return replace(fitness, goals=tuple(replace(goal, output="", tail="") for goal in fitness.goals)) if fitness else None
