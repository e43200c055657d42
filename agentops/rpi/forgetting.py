"""Old phase folders and run files: kept as long as snapshots are, then removed."""

from __future__ import annotations

import os

from agentops.core.clock import Clock
from agentops.host.folders import drop_folder

_DAY = 86_400.0
DAYS = 30.0


def forget_old_runs(home: str, agents: str, clock: Clock, *, days: float = DAYS) -> int:
    """Remove sessions below `home` and runs below `agents`/rpi/runs that nothing was added to for `days`; how many."""
    limit = clock.now().wall - days * _DAY
    old = [path for folder in (home, os.path.join(agents, "rpi", "runs")) for path in _folders(folder) if _changed(path) < limit]
    for path in old:
        drop_folder(path)
    return len(old)


def _folders(folder: str) -> list[str]:
    if os.path.islink(folder) or not os.path.isdir(folder):
        return []
    return [one.path for one in os.scandir(folder) if one.is_dir(follow_symlinks=False)]


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return float("inf")
