"""`ao goals …`."""

from __future__ import annotations

from agentops.cli.lazy import LazyGroup

command = LazyGroup(
    "goals",
    {"measure": ("agentops.cli.measure", "Run every goal's check and say which pass.")},
    "The goals of this repository: GOALS.md, its Gates table.",
)
