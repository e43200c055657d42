"""The repository that a command was typed in, and the clock, for the commands that look at it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agentops.cli.door import here
from agentops.host.clock import SystemClock

if TYPE_CHECKING:
    from agentops.app.opening import Here


def opened(*, to_work: bool = False) -> Here:
    """Open it. Raises `EnvironmentUnusable` with the command that mends it.

    `to_work`: also refuse what only keeps us from changing anything (a merge under way, a detached HEAD).
    """
    from agentops.app.opening import open_here

    return open_here(here(), dict(os.environ), to_work=to_work)


def now() -> float:
    """Seconds since the epoch, for views that say how long ago something was."""
    return SystemClock().now().wall
