"""`kill -9`, EIO and a full disk at fault points of whole runs (loop-peers C2-1, C2-21); `scripts/torture faults` does all."""

from __future__ import annotations

import pytest

from tests.torture import faults
from tests.torture.scenarios import STORIES

PARTS = 12


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_without_a_fault_a_story_ends_as_told_and_leaves_the_person_alone(story: str) -> None:
    """Its oracle is in `clean`: a story that ends otherwise proves nothing about faults."""
    assert sum(faults.clean(story).points.values()) > 50


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("part", range(PARTS))
def test_cut_off_anywhere_a_plain_start_brings_it_to_the_same_end(part: int) -> None:
    cases = faults.chosen_cases(part, PARTS)
    assert cases
    assert [(trial.again, trial.wrong) for trial in map(faults.run, cases) if trial.wrong] == []


@pytest.mark.slow
def test_a_recovery_that_is_killed_is_recovered_from() -> None:
    cases = faults.twice_cases("regressed", "journal.verdict.after:1:kill")[::12]
    assert cases
    assert [(trial.again, trial.wrong) for trial in map(faults.run, cases) if trial.wrong] == []
