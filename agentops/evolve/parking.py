"""Parking: a limit or `ao pause` interrupts a phase. The tree goes back to the person, the claim stays, nothing is charged."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from agentops.core.events import Event
from agentops.core.journals import InFlight, Step
from agentops.core.places import Effect, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop
from agentops.core.work import Attempt, Claimed, Worker
from agentops.evolve.judging import without_verdict
from agentops.evolve.own_files import without_ours
from agentops.evolve.parts import Parts
from agentops.evolve.report import Pause

LOOK_SECONDS = 1.0
"""How often a parked session looks whether `ao resume` was typed; a stop wakes it at once."""


class Parking:
    """Sees a worker through its pauses. Only here, and in the daemon, is a limit waited for. `pauses`: those there were."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.pauses: deque[Pause] = deque(maxlen=1000)

    def through(self, worker: Worker, flight: InFlight, start: Start, scope: Scope, resume: str | None) -> tuple[Start, Attempt]:
        """Work until the attempt is no longer parked. A stop while parked ends it as killed; the work stays in `parked`."""
        parts = self._parts
        runs = flight.attempt.runs if flight.attempt is not None else ()
        while True:
            attempt = worker.work(flight.item, parts.place, start, scope, resume)
            runs += attempt.runs  # what was paid before a pause is part of what the cycle cost
            attempt = replace(attempt, runs=runs)
            if attempt.parked_phase is None or scope.stopped() is not None:
                return start, attempt
            effect = self._park(start, attempt)
            stop = self._wait(attempt, scope, start.cycle)
            if stop is not None:
                return start, replace(attempt, ended=Ended.KILLED, claimed=Claimed.NOTHING, summary=stop.detail)
            resumed = self.unpark(start, effect)
            if resumed is None:
                return start, replace(attempt, ended=Ended.KILLED, summary="what was parked no longer fits the tree")
            start, resume = resumed, attempt.parked_phase

    def unpark(self, start: Start, effect: Effect) -> Start | None:
        """A fresh start where other paths changed meanwhile, and the parked work put on top; None when it no longer fits."""
        parts = self._parts
        fresh = parts.place.begin(start.cycle)
        if parts.place.same(fresh.pre, start.pre):
            fresh = replace(fresh, pre=start.pre)
        if parts.place.bring_back(start, effect):
            parts.place.set_aside(start, effect)
            return None
        parts.journal.note(Step.STARTED, cycle=start.cycle, start=fresh)
        parts.events.emit(Event.RESUMED, cycle=start.cycle)
        return fresh

    def _park(self, start: Start, attempt: Attempt) -> Effect:
        parts = self._parts
        parts.guard.put_back()
        effect = without_ours(parts.place.effect(start))
        parts.place.park(start, effect)
        parts.journal.note(Step.PARKED, cycle=start.cycle, attempt=without_verdict(attempt), effect=effect)
        parts.place.set_aside(start, effect)
        until = attempt.parked_until.wall if attempt.parked_until else None
        parts.events.emit(Event.PARKED, cycle=start.cycle, phase=attempt.parked_phase, until=until)
        return effect

    def _wait(self, attempt: Attempt, scope: Scope, cycle: int) -> Stop | None:
        """Until the limit is over and nobody asks for a pause; working time stands still."""
        parts = self._parts
        parts.meter.time.pause()
        began = parts.clock.now().wall
        why = "a limit of the agent" if attempt.parked_until is not None else "ao pause"
        try:
            while True:
                now = parts.clock.now()
                limited = attempt.parked_until is not None and attempt.parked_until.mono > now.mono
                if not limited and not parts.pause_asked():
                    return None
                until = now.plus(LOOK_SECONDS)
                if limited and attempt.parked_until is not None and not parts.pause_asked():
                    until = attempt.parked_until
                if (stop := scope.wait(until)) is not None:
                    return stop
        finally:
            parts.meter.time.go_on()
            self.pauses.append(Pause(why, began, parts.clock.now().wall, cycle))
