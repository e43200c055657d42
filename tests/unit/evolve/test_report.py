"""What the end of a session says, where it once said something else."""

from __future__ import annotations

import errno
from dataclasses import replace

from agentops.core.journals import Step
from agentops.core.judging import Finding, FindingKind, Result
from agentops.core.stops import Stop, StopReason
from agentops.core.work import AGENT_WORKER
from agentops.evolve.report import AttentionKind, SessionReport
from agentops.evolve.supervisor import Supervisor
from agentops.evolve.tally import worth_a_look
from agentops.policy.settings import Settings
from agentops.records.rows import CycleRow
from agentops.views.report import see_more
from tests.twins.agent import GOOD
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
    taken_back = CycleRow(1, "a", Result.UNCHANGED, "now", reason="ungated")
    assert worth_a_look(taken_back) == ()
    assert [one.kind for one in worth_a_look(replace(taken_back, result=Result.IMPROVED))] == [AttentionKind.UNGATED]


def test_a_journal_that_takes_no_last_line_cost_the_whole_report() -> None:
    world = a_world()
    world.journal.begin_session("s", head="c0", last_cycle=0)
    parts, scope = world.parts("s", "s.1", Settings(max_cycles=1))
    note = world.journal.note

    def full(step: Step, *, durable: bool = True, **facts: object) -> None:
        if step is Step.CLOSED:
            raise OSError(errno.ENOSPC, "No space left on device")
        note(step, durable=durable, **facts)

    world.journal.note = full  # type: ignore[method-assign]
    report = Supervisor(replace(parts, workers=(Scripted(world, {"g7": GOOD}, name=AGENT_WORKER),))).run(scope)
    assert len(report.rows) == 1
    assert any("could not be closed: No space" in one for one in report.notices)


def test_a_gate_command_that_was_red_before_was_reported_as_a_bare_number() -> None:
    kept = CycleRow(1, "a", Result.IMPROVED, "now", reason="environment")
    found = Finding(FindingKind.ENVIRONMENT, "1", "fails on the start's tree as well: pytest: 8 errors\nin 0.4 s" + "x" * 500)
    (said,) = worth_a_look(kept, (found,))
    assert "gate command 1 (fails on the start's tree as well: pytest: 8 errors in 0.4 s" in said.what
    assert len(said.what) < 250
    assert said.command == "ao logs", "measuring the goals would not run it"
    (goal,) = worth_a_look(kept, (Finding(FindingKind.FLAKY, "lint", ""),))
    assert goal.what.endswith(": lint") and goal.command == "ao goals measure"


def test_the_last_cycle_may_be_an_idle_one_of_which_there_is_no_difference_to_see() -> None:
    worked, idle = CycleRow(1, "a", Result.IMPROVED, "now", files_changed=1), CycleRow(2, "idle", Result.UNCHANGED, "now")
    assert "ao diff 1" in see_more(SessionReport("s", "s.1", 0.0, 1.0, 1.0, Stop(StopReason.STAGNATION, ""), rows=(worked, idle)))
    nothing = see_more(SessionReport("s", "s.1", 0.0, 1.0, 1.0, Stop(StopReason.STAGNATION, ""), rows=(idle,)))
    assert nothing == ["ao history"]
