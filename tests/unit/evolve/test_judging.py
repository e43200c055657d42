"""Judging on twins: what is run again, what is not, and what the next try is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agentops.core.fitness import Fitness
from agentops.core.judging import Again, Check, Finding, FindingKind, Reason, Result
from agentops.core.places import Effect, Place, Start
from agentops.core.processes import Ended
from agentops.core.stops import Scope
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.evolve.earlier import with_earlier
from agentops.evolve.judging import Case, Judged, Red, judge
from agentops.evolve.outcomes import Outcome
from agentops.policy.settings import Settings
from tests.twins.loop import World

ITEM = WorkItem("goal", "g1", "title", "prompt")


@dataclass
class Suite:
    """A command of the gate that is red for a reason of its own, until the file `mended` is there."""

    tree: dict[str, bytes]
    name: str = "commands"
    ran: list[str] = field(default_factory=list)

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        self.ran.append("gate")
        return [] if "mended" in self.tree else [Finding(FindingKind.COMMAND, "1", "red")]

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        self.ran.append("again")
        return Again(frozenset() if "mended" in self.tree else subjects)


@dataclass
class OneCheck:
    check: Check

    def checks(self, item: WorkItem, before: Fitness | None, touched: frozenset[str]) -> tuple[Check, ...]:
        return (self.check,)

    def already(self, item: WorkItem, place: Place, scope: Scope) -> bool:
        return False


def judged(world: World, suite: Suite, red: Red = frozenset()) -> Judged:
    parts, scope = world.parts("s", "s.1", Settings())
    start = world.tree.begin(1)
    world.tree.write("work", b"done")
    effect = world.tree.effect(start)
    case = Case(ITEM, start, Attempt("phases", Ended.OK, Claimed.DONE), effect, None, red=red)
    return judge(case, replace(parts, gate=OneCheck(suite)), scope)


def test_a_command_that_was_red_before_is_not_the_works_fault_and_is_remembered() -> None:
    world = World(1, crashes=0.0)
    suite = Suite(world.tree.files)
    first = judged(world, suite)
    assert (first.verdict.result, suite.ran) == (Result.IMPROVED, ["gate", "again", "again"])
    assert first.red == {("commands", "1")}


def test_what_is_known_to_be_red_costs_one_run_and_not_three() -> None:
    world = World(1, crashes=0.0)
    suite = Suite(world.tree.files)
    again = judged(world, suite, frozenset({("commands", "1")}))
    assert (again.verdict.result, suite.ran) == (Result.IMPROVED, ["gate"])
    assert again.red == {("commands", "1")}


def test_a_command_that_only_the_work_makes_red_is_a_regression() -> None:
    world = World(1, crashes=0.0)
    world.tree.write("mended", b"")
    suite = Suite(world.tree.files)
    start = world.tree.begin(1)
    world.tree.write("mended", None)
    parts, scope = world.parts("s", "s.1", Settings())
    case = Case(ITEM, start, Attempt("phases", Ended.OK, Claimed.DONE), world.tree.effect(start), None)
    found = judge(case, replace(parts, gate=OneCheck(suite)), scope)
    assert (found.verdict.result, str(found.verdict.reason), found.red) == (Result.REGRESSED, "command:1", frozenset())
    assert "mended" not in world.tree.files, "the work is brought back after the probe; settling takes it back"


def outcome(cycle: int, result: Result, reason: str) -> Outcome:
    return Outcome(cycle, "g1", result, reason, 0.0)


def test_the_next_try_is_told_what_did_not_help() -> None:
    tries = [outcome(3, Result.REGRESSED, "goal:x"), outcome(4, Result.UNCHANGED, "interrupted")]
    prompt = with_earlier(ITEM, tries).prompt
    assert "cycle 3: regressed, goal:x" in prompt and "cycle 4" not in prompt


def test_a_success_wipes_the_slate() -> None:
    tries = [outcome(1, Result.REGRESSED, "goal:x"), outcome(2, Result.IMPROVED, str(Reason))]
    assert with_earlier(ITEM, tries) is ITEM
