"""What a crash left, put in order by the same idempotent acts that a cycle uses (evolve.md section 8).

The rule that matters most: nothing that changed after the supervisor's last sign of life is touched. The person may have
worked for hours on the remains of a crash (design-review E1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agentops.core.errors import Contested, ExitCode
from agentops.core.events import Event
from agentops.core.journals import InFlight, Step
from agentops.core.judging import ReasonKind, Result
from agentops.core.places import Change, Effect, Settled
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop, StopReason
from agentops.core.work import AGENT_WORKER, Attempt
from agentops.evolve.cycle import Cycle, Declined, Ran
from agentops.evolve.dormancy import idle_streak
from agentops.evolve.judging import Case
from agentops.evolve.outcomes import IDLE, Outcome
from agentops.evolve.own_files import RECORDS, is_ours, without_ours
from agentops.evolve.parts import Parts
from agentops.evolve.quarantine import oscillations
from agentops.evolve.rows import idle_row, quarantine_row, row_of
from agentops.evolve.settling import CUT_OFF, ORDER, release, settle
from agentops.records.rows import CycleRow
from agentops.tree.changes import NEXT_WORK

SLACK_SECONDS = 5.0
"""A change this long after the last sign of life may still be the cycle's."""


class Way(StrEnum):
    """How an open cycle was brought to its end."""

    NOTHING_BEGUN = "nothing-begun"
    FINISHED = "finished"
    JUDGED = "judged"
    TAKEN_BACK = "taken-back"
    RESUMED = "resumed"
    LEFT_ALONE = "left-alone"


@dataclass(frozen=True, slots=True)
class Recovered:
    """`stop` is set when the session may not go on before a person has answered. `row`: the one that was written for it."""

    cycle: int
    way: Way
    outcome: Outcome | None = None
    stop: Stop | None = None
    paths: frozenset[str] = frozenset()
    row: CycleRow | None = None


class Recovery:
    """Brings the open cycle of a journal to its one outcome."""

    def __init__(self, parts: Parts, cycle: Cycle) -> None:
        self._parts = parts
        self._cycle = cycle

    def recover(self, flight: InFlight, scope: Scope) -> Recovered:
        """Survivors must be gone before this is called."""
        if flight.asked:
            raise unanswered(flight, frozenset(flight.later), flight.moved)
        done = self._by_step(flight, scope)
        self._parts.events.emit(Event.RECOVERED, cycle=flight.cycle, way=done.way, paths=sorted(done.paths)[:50])
        return done

    def _by_step(self, flight: InFlight, scope: Scope) -> Recovered:
        if flight.start is None:
            return self._nothing_begun(flight)
        if flight.verdict is not None and flight.step in ORDER:
            return self._finish(flight, Way.FINISHED)
        if flight.step is Step.PARKED and flight.effect is not None and flight.attempt is not None:
            return self._parked(flight, scope)
        if flight.step is Step.PROBE and flight.effect is not None:
            self._parts.place.bring_back(flight.start, flight.effect)
        judgeable = flight.step in (Step.ENDED, Step.PROBE) and flight.attempt is not None
        judgeable = judgeable and (flight.before is None or self._parts.goals.there)
        if judgeable and self._whole(flight):
            return self._judge_again(flight, scope)
        return self._cut_off(flight)

    def _nothing_begun(self, flight: InFlight) -> Recovered:
        """Claimed at the most: release it; nothing happened that deserves a row."""
        release(flight, self._parts)
        self._parts.journal.note(Step.DECLINED, cycle=flight.cycle)
        return Recovered(flight.cycle, Way.NOTHING_BEGUN)

    def _finish(self, flight: InFlight, way: Way) -> Recovered:
        done, outcome = settle(flight, self._parts)
        contested = done.settled.contested if done.settled else frozenset[str]()
        stop = contested_stop(flight.cycle, contested) if contested else None
        row = row_of(done, self._parts.session, self._parts.clock.now().wall)
        return Recovered(flight.cycle, way, outcome, stop, contested, row)

    def _whole(self, flight: InFlight) -> bool:
        return flight.effect is not None and self._parts.place.post_still_equal(flight.effect)

    def _judge_again(self, flight: InFlight, scope: Scope) -> Recovered:
        if flight.start is None or flight.attempt is None or flight.effect is None:
            raise ValueError("judging again needs what was journalled when the work ended")
        case = Case(flight.item, flight.start, flight.attempt, flight.effect, flight.before, new_items=flight.new_items)
        ran = self._cycle.conclude(flight, case, scope)
        return self._ran(Way.JUDGED, ran)

    def _ran(self, way: Way, ran: Ran) -> Recovered:
        stop = contested_stop(ran.outcome.cycle, ran.contested) if ran.contested else None
        return Recovered(ran.outcome.cycle, way, ran.outcome, stop, ran.contested, ran.row)

    def _parked(self, flight: InFlight, scope: Scope) -> Recovered:
        """The tree was handed back before the crash: go on where the phase was interrupted, if its work still fits."""
        start, effect, attempt = flight.start, flight.effect, flight.attempt
        if start is None or effect is None or attempt is None:
            raise ValueError("a parked cycle has a start, an effect and an attempt")
        if self._set_aside_was_cut_off(flight):
            self._parts.place.set_aside(start, effect)
        # Only an agent goes on in the middle, and this start may have none.
        able = any(worker.name == AGENT_WORKER for worker in self._parts.workers)
        fresh = self._cycle.unpark(start, effect) if able else None
        if fresh is None:
            return self._take_back(replace(flight, effect=Effect(post=start.pre)), Way.TAKEN_BACK)
        self._parts.guard.remember()
        ran = self._cycle.go_on(replace(flight, start=fresh, run=self._parts.run), scope, attempt.parked_phase)
        if isinstance(ran, Declined):
            return Recovered(flight.cycle, Way.RESUMED)
        return self._ran(Way.RESUMED, ran)

    def _set_aside_was_cut_off(self, flight: InFlight) -> bool:
        """Whether the crash fell between parking and handing the tree back: then nothing else has changed since."""
        start, effect = flight.start, flight.effect
        if start is None or effect is None:
            return False
        now = self._parts.place.effect(start)
        left = set(without_ours(now).paths) & set(effect.paths)
        return bool(left) and not self._later(flight)

    def _cut_off(self, flight: InFlight) -> Recovered:
        """No verdict: take back what the cycle did, unless anything changed after the supervisor's last sign of life."""
        start = flight.start
        if start is None:
            raise ValueError("a cycle that was cut off has a start")
        place, guard = self._parts.place, self._parts.guard
        changed = place.changed_after(start, flight.beat + SLACK_SECONDS)  # before our own moves look like a person's
        guard.make_way(place.held(start, NEXT_WORK))
        seen = place.effect(start)  # `post` first, before any path is touched
        later, moved = frozenset(path for path in changed if not is_ours(path)), place.foreign_head(start)
        # Where nothing stands nothing can be overwritten, whenever it went.
        gone = {path for path, change in (*seen.paths.items(), *seen.ignored.items()) if change is Change.DELETED}
        place.protect_state(start, seen, [path for path in RECORDS if path not in changed or path in gone])
        if NEXT_WORK not in changed or NEXT_WORK in gone:
            guard.put_rows_back()
        effect = without_ours(seen)
        flight = replace(flight, effect=effect, attempt=flight.attempt or Attempt("none", Ended.KILLED))
        if later or moved:
            return self._leave_alone(flight, later, moved)
        return self._take_back(flight, Way.TAKEN_BACK)

    def _later(self, flight: InFlight) -> frozenset[str]:
        if flight.start is None:
            return frozenset()
        changed = self._parts.place.changed_after(flight.start, flight.beat + SLACK_SECONDS)
        return frozenset(path for path in changed if not is_ours(path))

    def _take_back(self, flight: InFlight, way: Way) -> Recovered:
        flight = replace(flight, verdict=CUT_OFF, step=Step.VERDICT)
        self._parts.journal.note(
            Step.VERDICT,
            cycle=flight.cycle,
            verdict=CUT_OFF,
            effect=flight.effect,
            attempt=flight.attempt,
            seconds=flight.seconds,
        )
        return self._finish(flight, way)

    def _leave_alone(self, flight: InFlight, later: frozenset[str], moved: tuple[str, ...]) -> Recovered:
        """Touch nothing: release, one row, and a question that every start repeats until a person answers it."""
        parts = self._parts
        release(flight, parts)
        head = flight.start.pre.head if flight.start else ""
        named = replace(flight, verdict=CUT_OFF, settled=Settled(sha=head, contested=later))
        row = row_of(named, parts.session, parts.clock.now().wall)
        parts.ledger.append(row)
        parts.journal.note(Step.ASKED, cycle=flight.cycle, paths=sorted(later), moved=list(moved))
        error = unanswered(flight, later, moved)
        stop = Stop(StopReason.CONTESTED, f"{error}\n{error.mend}", ExitCode.ENVIRONMENT)
        return Recovered(flight.cycle, Way.LEFT_ALONE, None, stop, later, row)


def answer(flight: InFlight, parts: Parts, keep: bool, say: Callable[[str], None]) -> Settled | None:
    """A person's word on a cycle that was left alone. `keep`: the tree stays as it is; otherwise the cycle's own part of it
    is taken back, and what changed later stays. Writes no second row.
    """
    if flight.start is None:
        parts.journal.note(Step.DECLINED, cycle=flight.cycle)
        return None
    settled: Settled | None = None
    if not keep:
        effect = without_ours(parts.place.effect(flight.start))
        later = parts.place.changed_after(flight.start, flight.beat + SLACK_SECONDS)
        mine = replace(
            effect,
            paths={path: change for path, change in effect.paths.items() if path not in later},
            ignored={path: change for path, change in effect.ignored.items() if path not in later},
        )
        settled = parts.place.take_back(flight.start, mine)
        for path in sorted(settled.contested | (later & set(effect.paths))):
            say(f"left as it is: {path}")
    parts.journal.note(
        Step.CLEARED,
        cycle=flight.cycle,
        target=flight.item.key,
        result=Result.UNCHANGED,
        reason=str(ReasonKind.INTERRUPTED),
    )
    return settled


def write_idle_row_again(outcomes: Sequence[Outcome], parts: Parts) -> None:
    """The row of an empty pass (or of a quarantine) that the journal noted last, if the ledger does not have it."""
    last = outcomes[-1] if outcomes else None
    if last is None or parts.ledger.last_cycle() >= last.cycle:
        return
    wall = parts.clock.now().wall
    if last.result is Result.QUARANTINED:
        count = oscillations(parts.ledger.standings.get(last.target))
        parts.ledger.quarantine(last.target, parts.goals.fingerprint(last.target))
        parts.ledger.append(quarantine_row(last.cycle, last.target, count, parts.session, parts.run, wall))
    elif last.target == IDLE:
        parts.ledger.append(idle_row(last.cycle, parts.session, parts.run, wall, idle_streak(outcomes)))


def unanswered(flight: InFlight, later: frozenset[str], moved: tuple[str, ...] = ()) -> Contested:
    """The question about a cycle that was left alone, with the three ways to answer it."""
    shown = ", ".join(sorted(later)[:5]) + (f" and {len(later) - 5} more" if len(later) > 5 else "")
    changed = f"; changed after that: {shown}" if later else ""
    commits = f"; HEAD was moved by someone else ({len(moved)} commits or moves)" if moved else ""
    return Contested(
        f"cycle {flight.cycle} ({flight.item.key}) was cut off{changed}{commits}; nothing was touched",
        later,
        mend="ao recover --show   (what it changed)   ·   ao recover --keep   ·   ao recover --take-back",
    )


def contested_stop(cycle: int, contested: frozenset[str]) -> Stop:
    """Someone else changed what a cycle changed: the session ends, theirs stays on top."""
    shown = ", ".join(sorted(contested)[:5]) + (" …" if len(contested) > 5 else "")
    detail = f"cycle {cycle} and someone else both changed: {shown}; left as they are (ao diff {cycle})"
    return Stop(StopReason.CONTESTED, detail, ExitCode.ENVIRONMENT)
