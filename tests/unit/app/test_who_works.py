"""Who works when the configuration names only some of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from agentops.app.agents import crew_of
from agentops.app.opening import Here
from agentops.host.clock import SystemClock
from agentops.policy.settings import Settings


def test_who_takes_over_counts_also_when_nobody_said_who_works(tmp_path: Path) -> None:
    """`agent.fallback` alone was forgotten: the first limit of the night was its end."""
    for name in ("claude", "codex"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    here = SimpleNamespace(
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
        repository=SimpleNamespace(top=str(tmp_path)),
        state=str(tmp_path),
        host=None,
        clock=SystemClock(),
    )
    crew = crew_of(Settings(fallback=("codex",)), cast(Here, here))
    assert crew is not None and [one.name for one in crew.members] == ["claude", "codex"]
