"""The three files that stop a session, for all who obey, show, write or clear them (evolve.md section 1)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.evolve.own_files import KILL, STOP
from agentops.host.scope import StopFile


def stop_files(top: str, env: Mapping[str, str]) -> tuple[StopFile, ...]:
    """In the repository whose top is `top`, and in the person's configuration; each with the grace that it gives."""
    config = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".config")
    return (
        StopFile(os.path.join(config, "evolve", "KILL"), 0.0),
        StopFile(os.path.join(top, KILL), 0.0),
        StopFile(os.path.join(top, STOP), 1.5, honours_after_cycle=True),
    )
