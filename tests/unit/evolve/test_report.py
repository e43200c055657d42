"""What the end of a session says, where it once said something else."""

from __future__ import annotations

from dataclasses import replace

from agentops.core.clock import Instant
from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.places import Change, Effect, Snapshot
from agentops.core.processes import Ended
from agentops.core.work import AGENT_WORKER, Attempt
from agentops.evolve.cycle import Ran
from agentops.evolve.outcomes import Outcome
from agentops.evolve.supervisor import Supervisor
from agentops.evolve.tally import Tally
from agentops.policy.settings import Settings
from agentops.records.rows import CycleRow
from tests.unit.evolve.test_cycle import Scripted, a_world


def test_a_goal_that_a_person_woke_was_reported_as_resting() -> None:
    world = a_world()
    world.journal.begin_session("s", head="c0", last_cycle=0)
    changes = iter([set[str](), set[str](), set[str](), {"g7"}])
    world.goals.read_again = lambda: frozenset(next(changes))  # type: ignore[method-assign]
    parts, scope = world.parts("s", "s.1", Settings(max_cycles=4))
    report = Supervisor(replace(parts, workers=(Scripted(world, {"junk": b"x"}, name=AGENT_WORKER),))).run(scope)
    assert [row.target for row in report.rows] == ["g7"] * 4
    assert report.resting == () and not any("rests" in one.what for one in report.attention)


def test_work_that_nothing_could_check_was_called_kept_when_it_was_taken_back() -> None:
    effect = Effect(Snapshot("", "", None, ""), {"a": Change.MODIFIED})
    verdict = Verdict(Result.UNCHANGED, Reason(ReasonKind.UNGATED), keep=False)
    row = CycleRow(1, "a", Result.UNCHANGED, "now")
    outcome = Outcome(1, "a", Result.UNCHANGED, "ungated", 0.0)
    tally = Tally(began=Instant(0.0, 0.0))
    tally.ran(Ran(outcome, verdict, effect, None, frozenset(), Attempt("phases", Ended.OK), row, ""))
    assert [one.what for one, _ in tally.attention] == ["cycle 1's work was taken back (ungated); it is kept"]
