"""The loop. Reads as evolve.md does: may we go on? → measure → select → execute → judge → settle."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentops.core.errors import AoError, Contested, EnvironmentUnusable, ExitCode
from agentops.core.events import Event
from agentops.core.fitness import Fitness, GoalOutcome
from agentops.core.journals import Step
from agentops.core.judging import ReasonKind, Result
from agentops.core.places import Snapshot, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop, StopReason
from agentops.core.work import WorkItem, World
from agentops.evolve.breakers import tripped
from agentops.evolve.close import close
from agentops.evolve.cycle import Cycle, Ran
from agentops.evolve.dormancy import dormant, idle_streak
from agentops.evolve.earlier import with_earlier
from agentops.evolve.judging import Red
from agentops.evolve.outcomes import IDLE, Outcome
from agentops.evolve.own_files import OUR_FILES
from agentops.evolve.parts import Parts
from agentops.evolve.quarantine import LIMIT, in_quarantine, oscillations
from agentops.evolve.recovery import Recovery, contested_stop, write_idle_row_again
from agentops.evolve.report import SessionReport
from agentops.evolve.rest import resting
from agentops.evolve.room import wait_for_room
from agentops.evolve.rows import idle_row, quarantine_row
from agentops.evolve.tally import Tally
from agentops.evolve.waking import Waking
from agentops.work.ladder import Choice, explain

AGENT_STOPS = {Ended.AUTH: StopReason.AUTH, Ended.SPAWN_ERROR: StopReason.NO_AGENT, Ended.BAD_CONFIG: StopReason.ENVIRONMENT}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a tree: its goals, and what is red on it anyway. A cycle's end knows it of the next start, if nothing
    has changed in between.
    """

    snapshot: Snapshot
    fitness: Fitness | None
    red: Red


class Supervisor:
    """One run of a session over one repository. The lease is held by whoever calls `run`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._cycle = Cycle(parts)
        self._recovery = Recovery(parts, self._cycle)
        self._known: Known | None = None
        self._tally = Tally(began=parts.clock.now())
        self._outcomes: list[Outcome] = []  # of the whole session; the tally's are those of this start
        self._waking = Waking(parts)

    def run(self, scope: Scope) -> SessionReport:
        """Recover, loop until told or forced to stop, close. Expected faults end the session, with their own exit code."""
        stop: Stop | None = None
        while stop is None:
            try:
                stop = self._recover(scope)
                while stop is None and (stop := self._may_not_go_on(scope)) is None:
                    stop = self._pass(scope)
            except AoError as error:
                why = StopReason.CONTESTED if isinstance(error, Contested) else StopReason.ENVIRONMENT
                # A second signal ends git in the middle of settling: that is the cause, its failure only follows.
                stop = scope.closing().stopped() or Stop(why, f"{error}\n{error.mend}".strip(), error.exit_code)
            except OSError as error:
                stop = scope.closing().stopped() or wait_for_room(error, scope, self._parts, self._tally, self._notice)
        try:
            # As the journal knows them: one that failed after its line was written is an outcome all the same.
            write_idle_row_again(self._parts.journal.read().outcomes, self._parts)
        except OSError as error:
            self._notice(f"the row of the last empty pass could not be written: {error}")
        self._tally.pauses.extend(self._cycle.pauses)
        return close(stop, self._tally, self._resting(), self._cycle.declined, self._parts)

    def _recover(self, scope: Scope) -> Stop | None:
        """Continue where the journal ends: outcomes of the session, then the cycle that was cut off."""
        state = self._parts.journal.read()
        self._outcomes = list(state.outcomes)
        self._waking.woken = dict(state.woken)
        if state.bad_lines:
            self._notice(f"{state.bad_lines} lines of the journal could not be read and were passed over")
        write_idle_row_again(self._outcomes, self._parts)
        if state.open is None:
            # A crash between such a cycle and its session's end: the session still ends over it, and says so.
            return contested_stop(state.last_cycle, state.contested) if state.contested else None
        done = self._recovery.recover(state.open, scope)
        self._notice(f"cycle {done.cycle} had been cut off: {done.way}")
        if done.row is not None:
            self._tally.recovered(done.row)
        if done.outcome is not None:
            self._remember(done.outcome)
        return done.stop

    def _may_not_go_on(self, scope: Scope) -> Stop | None:
        """Every reason not to start another cycle, the most urgent first."""
        parts = self._parts
        most = parts.settings.max_cycles
        ran = sum(one.counts for one in self._tally.outcomes)
        return (
            scope.stopped()
            or parts.after_cycle()
            or (Stop(StopReason.MAX_CYCLES, f"{ran} of {most} cycles") if most is not None and ran >= most else None)
            or parts.meter.over()
            or tripped(self._outcomes, parts.meter.time.seconds())
        )

    def _pass(self, scope: Scope) -> Stop | None:
        """One way down the ladder: a cycle, or an empty pass."""
        parts = self._parts
        start = parts.place.begin(self._next_number())
        if start.pre.branch is None:  # a recovery that a person answered with "keep", or a person between two cycles
            raise EnvironmentUnusable("HEAD is detached: commits would hang on no branch.", mend="git switch -c NAME")
        if self._waking.look(start, self._notice):
            self._known = None
        known = self._measure(start, scope)
        parts.unbooked.retry(parts.ladder)
        taken = parts.unbooked.keys()
        while scope.stopped() is None:
            choice = self._choose(known.fitness, taken, scope)
            if choice.item is None or choice.source is None:
                return self._idle(start.cycle)
            if (count := oscillations(parts.ledger.standings.get(choice.item.key))) >= LIMIT:
                self._quarantine(start.cycle, choice.item, count)
                return None
            self._waking.worked_on(choice.item)
            item = with_earlier(choice.item, self._outcomes)
            done = self._cycle.run(start, item, choice.source, known.fitness, scope, known.red)
            if isinstance(done, Ran):
                return self._book(done, start, known.fitness)
            taken[choice.item.key] = done.why
        return None

    def _measure(self, start: Start, scope: Scope) -> Known:
        """All goals on the tree as it is; what the end of the last cycle knows counts while nothing has changed."""
        parts, known = self._parts, self._known
        self._known = None
        if known is None or not parts.place.same(known.snapshot, start.pre):
            known = Known(start.pre, None, frozenset())
        if not parts.goals.there:
            return replace(known, fitness=None)
        fitness = known.fitness
        if fitness is None or not parts.goals.holds(fitness):
            fitness = self._measure_afresh(start, fitness, scope)
        if fitness is None:
            if scope.stopped() is None:
                self._notice("the goals could not be measured; they choose and judge nothing in this cycle")
            return replace(known, fitness=None)
        parts.goals.publish(fitness, after=False)
        self._tally.measured(fitness, after=start.cycle - 1, wall=parts.clock.now().wall)
        failing = [goal.goal_id for goal in fitness.goals if goal.failing]
        neither = [one.goal_id for one in fitness.goals if one.outcome is not GoalOutcome.PASS and not one.failing]
        counted = {"passing": fitness.passing, "total": len(fitness.goals)}
        parts.events.emit(Event.MEASURED, **counted, failing=failing[:50], unclear=neither[:50])
        return replace(known, fitness=fitness)

    def _measure_afresh(self, start: Start, known: Fitness | None, scope: Scope) -> Fitness | None:
        """Run every check that says something new; what they change in the tree themselves is put back and said."""
        fitness = self._parts.goals.measure(self._parts.place, scope, known)
        mutated = self._parts.place.tidy(start.pre, OUR_FILES)
        if mutated:
            self._notice(f"measuring the goals changed {len(mutated)} files; put back: {', '.join(sorted(mutated)[:5])}")
        return replace(fitness, mutating=tuple(sorted(mutated))) if fitness is not None else None

    def _choose(self, fitness: Fitness | None, taken: dict[str, str], scope: Scope) -> Choice:
        world = World(fitness, self._resting(), taken)
        choice = self._parts.ladder.choose(world, self._cycle.able, scope)
        self._tally.passed_over(choice.passed_over)
        chosen = choice.item.key if choice.item else None
        self._parts.events.emit(
            Event.CHOSEN if chosen else Event.EMPTY_PASS,
            target=chosen,
            source=choice.source.name if choice.source else None,
            others=[item.key for item in choice.others[:20]],
            passed_over=explain(choice.passed_over[:50]),
        )
        return choice

    def _book(self, ran: Ran, start: Start, before: Fitness | None) -> Stop | None:
        """Book the cycle; a few endings end the session."""
        self._remember(ran.outcome)
        self._tally.ran(ran)
        if not ran.effect.foreign:
            self._waking.left_at(ran.sha)
        if ran.contested:
            return contested_stop(ran.outcome.cycle, ran.contested)
        fitness, snapshot = (ran.after, ran.effect.post) if ran.verdict.keep else (before, start.pre)
        self._known = Known(snapshot, fitness, ran.red)
        if fitness is not None:
            self._tally.measured(fitness, after=start.cycle, wall=self._parts.clock.now().wall)
        why = AGENT_STOPS.get(ran.attempt.ended)
        if why is not None and not ran.verdict.keep:
            said = next((run.error for run in reversed(ran.attempt.runs) if run.error), str(ran.attempt.ended))
            return Stop(why, said, ExitCode.ENVIRONMENT)
        return None

    def _idle(self, cycle: int) -> Stop | None:
        """An empty pass: two of them leave a row each, the third ends the session without one."""
        if (stop := dormant(self._outcomes)) is not None:
            return stop
        parts = self._parts
        row = idle_row(cycle, parts.session, parts.run, parts.clock.now().wall, idle_streak(self._outcomes) + 1)
        outcome = Outcome(cycle, IDLE, Result.UNCHANGED, str(ReasonKind.IDLE), parts.meter.time.seconds())
        parts.journal.idle(cycle)  # first: a row that is noted and not there is written again
        self._remember(outcome)
        parts.ledger.append(row)
        self._tally.idle(row)
        streak = idle_streak(self._outcomes)
        parts.telemetry.project(
            cycle=cycle, last_result=str(row.result), idle_streak=streak, generator_empty_streak=streak, claimed_work=None
        )
        return None

    def _quarantine(self, cycle: int, item: WorkItem, count: int) -> None:
        """The target was mended and fell back too often: one row says so, and it is left alone from now on."""
        parts = self._parts
        row = quarantine_row(cycle, item.key, count, parts.session, parts.run, parts.clock.now().wall)
        worked = parts.meter.time.seconds()
        parts.journal.note(Step.CLEARED, cycle=cycle, target=item.key, result=row.result, reason="")
        self._remember(Outcome(cycle, item.key, Result.QUARANTINED, "", worked))
        parts.ledger.quarantine(item.key, parts.goals.fingerprint(item.key))
        parts.ledger.append(row)
        self._tally.idle(row)
        self._notice(f"{item.key} is in quarantine: improved and failing again {count} times")

    def _resting(self) -> dict[str, str]:
        return {**resting(self._outcomes, self._waking.woken), **in_quarantine(self._parts.ledger.standings)}

    def _remember(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._tally.outcomes.append(outcome)

    def _next_number(self) -> int:
        """The ledger's number: a ledger that an agent rewound cannot make us use one twice (design-review 36)."""
        return max(self._parts.journal.last_cycle(), self._parts.ledger.last_cycle()) + 1

    def _notice(self, text: str) -> None:
        self._tally.notices.append(text)
        self._parts.events.emit(Event.NOTICE, text=text)
