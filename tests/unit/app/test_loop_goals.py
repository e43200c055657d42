"""What the loop measures again, and what it takes over: too much costs the night its time, too little costs it the truth."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from agentops.app.loop_goals import LoopGoals
from agentops.core.events import Event
from agentops.core.fitness import Fitness, GoalOutcome
from agentops.core.places import Place
from agentops.goals.folder import Folder
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope

CLOCK = SystemClock()
HOST = Launcher(CLOCK)
HEAD = "| ID | Check | Inputs | Volatile | Network | Metric |\n|--|--|--|--|--|--|\n"


class Checkout(Folder):
    name = "in-place"


@dataclass
class Heard:
    lines: list[dict[str, object]] = field(default_factory=list)

    def emit(self, name: Event, **facts: object) -> None:
        self.lines.append({"event": name, **facts})


@dataclass
class Rig:
    """A folder with goals; each check leaves its id in the file `ran` beside it."""

    folder: Path
    events: Heard = field(default_factory=Heard)

    def goals(self, *rows: str) -> LoopGoals:
        """Rows as `id ~ check ~ inputs ~ …`; the check also says that it ran."""
        cells = [[cell.strip() for cell in row.split("~")] for row in rows]
        table = "".join(
            f"| {c[0]} | `echo {c[0]} >> $RAN; {c[1]}` | {' | '.join((*c[2:], '', '', '', '')[:4])} |\n" for c in cells
        )
        (self.folder / "GOALS.md").write_text(f"# G\n\n## Gates\n\n{HEAD}{table}")
        return self.again()

    def again(self) -> LoopGoals:
        """As the next session would have them."""
        state = self.folder.parent / "state"
        state.mkdir(exist_ok=True)
        path = str(self.folder / "GOALS.md")
        return LoopGoals(lambda: path, str(self.folder), str(state), HOST, self.events, lambda: "")

    def measure(self, goals: LoopGoals, known: Fitness | None = None, place: type[Folder] = Checkout) -> tuple[Fitness, set[str]]:
        """What was found, and whose checks ran for it."""
        ran = self.folder.parent / "ran"
        ran.unlink(missing_ok=True)
        place_ = cast(Place, place(str(self.folder), {**os.environ, "RAN": str(ran)}))
        found = goals.measure(place_, StopScope(CLOCK), known)
        assert found is not None
        return found, set(ran.read_text().split()) if ran.exists() else set()


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    (tmp_path / "repo").mkdir()
    return Rig(tmp_path / "repo")


def test_of_an_equal_tree_only_what_may_have_changed_is_measured_again(rig: Rig) -> None:
    goals = rig.goals("stays~true", "fails~false", "noisy~true~~yes", "far~true~~~yes", "broken~no-such-tool-zz")
    first, ran = rig.measure(goals)
    assert ran == {"stays", "fails", "noisy", "far", "broken"} and not goals.holds(first)
    second, ran = rig.measure(goals, first)
    assert ran == {"noisy", "far", "broken"}
    assert [goal.outcome for goal in second.goals] == [goal.outcome for goal in first.goals]
    assert [goal.goal_id for goal in second.goals if goal.reused] == ["stays", "fails"]


def test_a_measurement_without_anything_doubtful_holds_whole(rig: Rig) -> None:
    goals = rig.goals("a~true", "b~exit 77", "c~false")
    assert goals.holds(rig.measure(goals)[0])


def test_a_pass_on_declared_inputs_is_known_to_the_next_session_until_they_change(rig: Rig) -> None:
    (rig.folder / "in.txt").write_text("1")
    goals = rig.goals("a~echo 3; test -s in.txt~in.txt~~~higher", "b~true")
    first, ran = rig.measure(goals)
    assert ran == {"a", "b"} and first.goals[0].value == 3.0
    second, ran = rig.measure(rig.again())
    assert ran == {"b"} and second.goals[0].reused and (second.goals[0].value, second.goals[0].output) == (3.0, "3")
    (rig.folder / "in.txt").write_text("2")
    assert rig.measure(rig.again())[1] == {"a", "b"}


@pytest.mark.parametrize(
    "row",
    ["a~false~in.txt", "a~true~in.txt~yes", "a~true~in.txt~~yes", "a~echo x >> in.txt~in.txt", "a~exit 77~in.txt"],
)
def test_only_a_pass_that_nothing_disturbs_is_remembered(rig: Rig, row: str) -> None:
    (rig.folder / "in.txt").write_text("1")
    goals = rig.goals(row)
    rig.measure(goals)
    assert rig.measure(goals)[1] == {"a"}


def test_in_another_place_than_the_checkout_our_reading_of_inputs_means_nothing(rig: Rig) -> None:
    (rig.folder / "in.txt").write_text("1")
    goals = rig.goals("a~true~in.txt")
    rig.measure(goals, place=Folder)
    assert rig.measure(goals, place=Folder)[1] == {"a"}


def test_a_torn_store_is_no_store(rig: Rig) -> None:
    (rig.folder / "in.txt").write_text("1")
    rig.measure(rig.goals("a~true~in.txt"))
    for name in ("known-passes.json", "check-loads.json"):
        path = rig.folder.parent / "state" / name
        path.write_bytes(path.read_bytes()[:-9])
    assert rig.measure(rig.again())[1] == {"a"}


def test_a_pass_of_two_days_ago_is_measured_again(rig: Rig) -> None:
    (rig.folder / "in.txt").write_text("1")
    rig.measure(rig.goals("a~true~in.txt"))
    path = rig.folder.parent / "state/known-passes.json"
    stored = json.loads(path.read_text())
    for one in stored["passes"].values():
        one["at"] -= 2 * 86400
    path.write_text(json.dumps(stored))
    assert rig.measure(rig.again())[1] == {"a"}


def test_both_ends_of_a_long_output_are_in_the_events(rig: Rig) -> None:
    rig.measure(rig.goals("a~seq 20000; false", "b~echo short"))
    (said,) = [line for line in rig.events.lines if line["event"] is Event.CHECK_SAID]
    assert said["goal"] == "a" and str(said["head"]).startswith("1\n2\n") and str(said["tail"]).endswith("19999\n20000\n")
    assert said["left_out"] == len("\n".join(map(str, range(1, 20001)))) + 1 - 4000


def test_a_number_is_sampled_as_often_as_asked(rig: Rig) -> None:
    goals = rig.goals("a~echo 7; false~~~~higher", "b~true")
    place = cast(Place, Checkout(str(rig.folder), {**os.environ, "RAN": str(rig.folder.parent / "ran")}))
    seen = goals.sample("a", 2, place, StopScope(CLOCK))
    assert [(one.outcome, one.value) for one in seen] == [(GoalOutcome.FAIL, 7.0)] * 2
    assert (rig.folder.parent / "ran").read_text().split() == ["a", "a"]
    assert goals.sample("gone", 2, place, StopScope(CLOCK)) == ()
