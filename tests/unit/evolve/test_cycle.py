"""The loop on twins, one situation each."""

from __future__ import annotations

import errno
from dataclasses import dataclass, replace

import pytest

from agentops.core.fitness import Fitness
from agentops.core.journals import Step
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope, Stop, StopReason
from agentops.core.work import AGENT_WORKER, Attempt, Claimed, WorkItem
from agentops.evolve.supervisor import Supervisor
from agentops.policy.settings import Settings
from agentops.records.rows import CycleRow
from tests.twins.agent import BAD, GOOD
from tests.twins.loop import GOALS, World


@dataclass
class Scripted:
    """A worker that does one thing: `writes`, then claims to be done."""

    world: World
    writes: dict[str, bytes]
    name: str = "remedy"
    calls: int = 0

    def declines(self, item: WorkItem) -> str | None:
        return None

    def work(self, item: WorkItem, place: Place, start: Start, scope: Scope, resume: str | None = None) -> Attempt:
        self.calls += 1
        for path, content in self.writes.items():
            self.world.tree.write(path, content)
        return Attempt(self.name, Ended.OK, Claimed.DONE)


def a_world() -> World:
    """Every goal passes but the heaviest, `g7`; nothing crashes and no check lies."""
    world = World(1, crashes=0.0, flaky=0.0)
    for goal in GOALS[:-1]:
        world.tree.write(goal.id, GOOD)
    return world


def run(world: World, *workers: Scripted, cycles: int, told: Stop | None = None) -> list[tuple[str, str | None]]:
    """Targets and reasons of the rows, with the worker that ran."""
    world.journal.begin_session("s", head="c0", last_cycle=0)
    world.journal.note(Step.RUN)
    parts, scope = world.parts("s", "s.1", Settings(max_cycles=cycles))
    scope.told = told
    Supervisor(replace(parts, workers=workers)).run(scope)
    return [(f"{row.result}:{row.reason}", row.worker) for row in world.ledger.rows]


def test_a_command_that_makes_things_worse_is_not_tried_again_but_the_agent_is() -> None:
    world = a_world()
    fix = Scripted(world, {"g7": GOOD, "g1": BAD})
    agent = Scripted(world, {"g7": GOOD}, name=AGENT_WORKER)
    assert run(world, fix, agent, cycles=2) == [("regressed:goal:g1", "remedy"), ("improved:target_reached", "phases")]
    assert (fix.calls, agent.calls) == (1, 1)


def test_a_commands_work_that_only_it_could_do_is_passed_over_after_one_bad_try() -> None:
    world = a_world()
    fix = Scripted(world, {"g7": GOOD, "g1": BAD})
    rows = run(world, fix, cycles=5)
    assert [reason for reason, _ in rows] == ["regressed:goal:g1", "unchanged:idle", "unchanged:idle"] and fix.calls == 1


def test_work_that_is_taken_back_leaves_no_byte_behind() -> None:
    world = a_world()
    before = dict(world.tree.files)
    run(world, Scripted(world, {"g7": GOOD, "g1": BAD, "junk": b"x"}), cycles=1)
    assert world.tree.files == before


def test_a_stop_before_the_first_cycle_runs_nothing() -> None:
    world = a_world()
    fix = Scripted(world, {"g7": GOOD})
    assert run(world, fix, cycles=3, told=Stop(StopReason.KILL_SWITCH, "told")) == [] and fix.calls == 0


def test_goals_measured_at_a_cycles_end_are_not_measured_again() -> None:
    world = a_world()
    world.tree.write("g6", BAD)
    measured: list[int] = []
    real = world.goals.measure

    def counted(place: Place, scope: Scope, known: Fitness | None = None) -> object:
        measured.append(1)
        return real(place, scope, known)

    world.goals.measure = counted  # type: ignore[method-assign, assignment]
    run(world, Scripted(world, {"g7": GOOD, "g6": GOOD}), cycles=1)
    assert len(measured) == 2, "once before the first cycle, once after it"


def test_an_empty_pass_that_the_journal_knows_has_its_row_even_if_writing_it_failed_once() -> None:
    world = a_world()
    world.tree.write("g7", GOOD)
    real = world.ledger.append
    failed: list[CycleRow] = []

    def fails_once(row: CycleRow) -> None:
        if not failed:
            failed.append(row)
            raise OSError(errno.EIO, "it failed")
        real(row)

    world.ledger.append = fails_once  # type: ignore[method-assign]
    assert run(world, Scripted(world, {}), cycles=2) == [("unchanged:idle", None)] and len(failed) == 1
    assert [one.cycle for one in world.journal.read().outcomes] == [row.cycle for row in world.ledger.rows] == [1]


def test_an_empty_pass_whose_note_failed_after_it_was_written_has_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    world = a_world()
    world.tree.write("g7", GOOD)
    real = world.journal.idle

    def fails_late(cycle: int) -> None:
        real(cycle)
        raise OSError(errno.EIO, "it failed")

    monkeypatch.setattr(world.journal, "idle", fails_late)
    run(world, Scripted(world, {}), cycles=2)
    assert [one.cycle for one in world.journal.read().outcomes] == [row.cycle for row in world.ledger.rows] == [1]
