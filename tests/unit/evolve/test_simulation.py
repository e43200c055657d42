"""The real loop on twins: a bounded part of the ten thousand cycles of `scripts/torture simulate`."""

from __future__ import annotations

import pytest

from tests.twins.simulation import simulate


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_cycle_has_one_outcome_and_numbers_rise_through_crashes_limits_and_liars(seed: int) -> None:
    summary = simulate(seed, 600)
    assert summary.failures == []
    assert summary.crashes > 10 and {"improved", "regressed", "unchanged"} <= set(summary.results)
