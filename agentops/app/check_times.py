"""What checks took, kept between sessions in our state folder."""

from __future__ import annotations

import os

from agentops.goals.pace import Load, Pace
from agentops.records import check_loads

_FILE = "check-loads.json"


def stored_pace(state: str) -> Pace:
    """What earlier sessions saw of checks."""
    return Pace(earlier={key: Load(*facts) for key, facts in check_loads.read(os.path.join(state, _FILE)).items()})


def store_pace(state: str, pace: Pace) -> None:
    """Add what was seen now; where there is no state folder, nothing is kept."""
    if not os.path.isdir(state):
        return
    path = os.path.join(state, _FILE)
    seen = [(check, (load.seconds, load.cpu_seconds, load.busy)) for check, load in pace.seen.items()]
    check_loads.write(path, check_loads.read(path), seen)
