"""The agent's twin keeps the promises of a real agent: one suite, run on both."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentops.agents.command import CommandAgent
from agentops.core.agents import Agent, AgentRun
from agentops.core.places import Start
from agentops.core.processes import Ended, Limits
from agentops.core.stops import Scope, Stop, StopReason
from agentops.evolve.parts import LoopPlace
from agentops.host.clock import SystemClock
from agentops.host.environment import clean_environment
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.tree.inplace import InPlace
from agentops.tree.repository import discover
from tests.twins.agent import ScriptedAgent
from tests.twins.place import TwinPlace
from tests.twins.time import VirtualClock, VirtualScope

TOLD = Stop(StopReason.KILL_SWITCH, "told to", grace=0.2)


@dataclass
class Stage:
    """A place, and an agent in it that writes the file `work` with `done` in it, says so and ends with a code."""

    place: LoopPlace
    agent: Callable[[int], Agent]
    scope: Scope
    told: Scope
    env: Mapping[str, str]

    def run(self, code: int = 0, scope: Scope | None = None) -> tuple[Start, AgentRun]:
        start = self.place.begin(1)
        return start, self.agent(code).run("do it", self.place, scope or self.scope, start=start, env=self.env)


def twin(folder: Path) -> Stage:
    clock = VirtualClock()
    tree = TwinPlace(clock)

    def agent(code: int) -> Agent:
        return ScriptedAgent(clock, lambda: tree.write("work", b"done"), says="all is well", code=code)

    return Stage(tree, agent, VirtualScope(clock), VirtualScope(clock, told=TOLD), {"AO_PHASE": "implementation"})


def real(folder: Path) -> Stage:
    top = folder / "repo"
    top.mkdir()
    names = {f"GIT_{who}_{what}": f"{who}@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    base = {**clean_environment(os.environ)[0], **names}
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "start")):
        subprocess.run(["git", *words], cwd=top, env=base, check=True)
    clock = SystemClock()
    host = Launcher(clock)
    door = Git(host, StopScope(clock), str(top), base)
    place = InPlace(discover(door, str(top), base), door, clock, "run", env=base)
    phase = folder / "phase"
    phase.mkdir()
    env = {"AO_PHASE": "implementation", "AO_ATTEMPT": "1", "AO_PHASE_DIR": str(phase)}

    def agent(code: int) -> Agent:
        argv = ("sh", "-c", f"cat > /dev/null; printf done > work; echo all is well; exit {code}")
        return CommandAgent(argv, host, clock, Limits(total=60.0), str(folder / "transcripts"))

    return Stage(place, agent, StopScope(clock), StopScope(clock, extra=(lambda: TOLD,)), env)


@pytest.fixture(params=[twin, real], ids=["twin", "real"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    make: Callable[[Path], Stage] = request.param
    return make(tmp_path)


def test_a_run_that_went_well_says_so_and_its_work_is_in_the_place(stage: Stage) -> None:
    start, run = stage.run()
    assert (run.ended, run.stop, run.survivors) == (Ended.OK, None, 0) and "all is well" in run.text
    assert set(stage.place.effect(start).paths) == {"work"}


def test_a_failure_is_a_result_and_leaves_the_work_to_be_judged(stage: Stage) -> None:
    start, run = stage.run(code=3)
    assert (run.ended, run.stop) == (Ended.ERROR, None)
    assert set(stage.place.effect(start).paths) == {"work"}


def test_a_stop_is_named_and_nothing_is_done_after_it(stage: Stage) -> None:
    start, run = stage.run(scope=stage.told)
    assert (run.ended, run.stop) == (Ended.KILLED, TOLD)
    assert stage.place.effect(start).empty


def test_what_a_run_cost_is_known_in_seconds_and_money_is_never_made_up(stage: Stage) -> None:
    _, run = stage.run()
    assert run.usage.seconds > 0 and run.usage.usd is None
