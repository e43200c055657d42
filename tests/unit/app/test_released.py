"""A person's word `ao queue release`: heard until it is written down, whoever dies in between."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from agentops.app.loop_queue import released_noted, take_released
from agentops.app.opening import Here
from agentops.app.queue_names import RELEASED


def test_a_word_is_heard_again_when_the_start_that_took_it_died(tmp_path: Path) -> None:
    here = cast(Here, SimpleNamespace(state=str(tmp_path)))
    said = tmp_path / RELEASED
    said.write_text("fast\n")
    assert take_released(here) == {"fast"}
    said.write_text("lint\n")  # said while the first word is not noted yet
    assert take_released(here) == {"fast"}
    released_noted(here)
    assert take_released(here) == {"lint"}
    released_noted(here)
    assert take_released(here) == frozenset() and not list(tmp_path.iterdir())
