"""The real loop on twins: a bounded part of the ten thousand cycles of `scripts/torture simulate`."""

from __future__ import annotations

import pytest

from agentops.evolve.supervisor import Supervisor
from agentops.policy.settings import Settings
from tests.twins.loop import World
from tests.twins.simulation import simulate


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_cycle_has_one_outcome_and_numbers_rise_through_crashes_limits_and_liars(seed: int) -> None:
    summary = simulate(seed, 600)
    assert summary.failures == []
    assert summary.crashes > 10 and {"improved", "regressed", "unchanged"} <= set(summary.results)


def test_the_meter_was_settled_with_nothing_and_runs_before_a_pause_cost_nothing() -> None:
    world = World(1, crashes=0.0)
    world.journal.begin_session("s", head=world.tree.commits[-1], last_cycle=0)
    parts, scope = world.parts("s", "s.1", Settings(max_cycles=30))
    report = Supervisor(parts).run(scope)
    assert report.usage.tokens_in and parts.meter.used.tokens_in == report.usage.tokens_in
    assert parts.meter.used.seconds == pytest.approx(report.usage.seconds)
