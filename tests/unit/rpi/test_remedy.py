"""The worker `remedy` on real processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest

from agentops.core.clock import Instant
from agentops.core.places import Place, Snapshot, Start
from agentops.core.processes import Limits
from agentops.core.work import WorkItem
from agentops.goals.folder import Folder
from agentops.host.clock import SystemClock
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.rpi import own_check, remedy

CLOCK = SystemClock()
START = Start(1, "s.1", Instant(0, 0), Snapshot("", "", None, ""))


@pytest.mark.parametrize(("timeout", "gave_up"), [(None, True), (30.0, False)])
def test_a_fix_whose_goal_needs_longer_than_usual_to_check_was_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, timeout: float | None, gave_up: bool
) -> None:
    monkeypatch.setattr(own_check, "PER_GOAL", 0.2)
    item = WorkItem("goal", "slow", "slow", "", check="sleep 1; test -f done", fix="touch done", timeout=timeout)
    place = cast(Place, Folder(str(tmp_path), os.environ))
    attempt = remedy.Remedy(Launcher(CLOCK), Limits()).work(item, place, START, StopScope(CLOCK))
    assert (attempt.declined is not None) is gave_up
