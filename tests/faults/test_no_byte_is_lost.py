"""Random acts of an agent and a person, and a random crash: a bounded part of `scripts/torture acts`."""

from __future__ import annotations

import os

import pytest

from tests.torture import acts

PARTS = 6
SEEDS = 8
FIRST = int(os.environ.get("AO_TORTURE_SEED", "1"))
"""Fixed, so that a red run means a change; the nightly torture takes new seeds."""


@pytest.fixture(scope="module")
def points() -> tuple[str, ...]:
    return acts.points()


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_byte_of_a_persons_is_lost(part: int, points: tuple[str, ...]) -> None:
    trials = [acts.run((FIRST + part * SEEDS + at, points, False)) for at in range(SEEDS)]
    assert sum(trial.counts.get("bytes of the person's", 0) for trial in trials) > SEEDS
    assert [(trial.again, trial.wrong) for trial in trials if trial.wrong] == []
