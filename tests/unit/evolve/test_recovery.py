"""Recovery on twins, one situation each."""

from __future__ import annotations

from dataclasses import replace

from agentops.core.journals import InFlight, Step
from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.places import Effect, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, StopReason
from agentops.core.work import AGENT_WORKER, Attempt, WorkItem
from agentops.evolve.cycle import Cycle, Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.recovery import Recovery
from agentops.policy.settings import Settings
from agentops.records.rows import CycleRow
from tests.twins.loop import World

VERDICT = Verdict(Result.UNCHANGED, Reason(ReasonKind.CONTESTED), keep=False)


class Contested(Cycle):
    """A cycle that goes on and finds at its end that someone else changed the same file."""

    def go_on(self, flight: InFlight, scope: Scope, resume: str | None = None, red: object = None) -> Ran:
        outcome = Outcome(flight.cycle, flight.item.key, Result.UNCHANGED, "contested", 0.0)
        row = CycleRow(flight.cycle, flight.item.key, Result.UNCHANGED, "now")
        attempt, effect = flight.attempt, flight.effect
        assert attempt is not None and effect is not None
        return Ran(outcome, VERDICT, effect, None, frozenset({"shared.txt"}), attempt, row, "c0")


def test_a_parked_cycle_that_went_on_after_a_crash_and_was_contested_did_not_end_the_session() -> None:
    world = World(1, crashes=0.0)
    parts, scope = world.parts("s", "s.1", Settings())
    start: Start = world.tree.begin(1)
    item = WorkItem("goal", "g1", "g1", "")
    attempt = Attempt(AGENT_WORKER, Ended.LIMIT, parked_phase="implementation")
    flight = InFlight(1, "s.1", Step.PARKED, item, 0.0, start=start, effect=Effect(start.pre), attempt=attempt)
    done = Recovery(parts, Contested(parts)).recover(replace(flight, token="t"), scope)
    assert done.stop is not None and done.stop.reason is StopReason.CONTESTED
    assert done.paths == {"shared.txt"}
