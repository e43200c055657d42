"""The PATH of tests: that of this machine without folders in which coding agents are installed.

`ao evolve` takes the first agent that it finds; a person's own must not work on a test's repository.
"""

from __future__ import annotations

import os

from agentops.agents.catalog import FIRST_OF


def without_agents(path: str) -> str:
    """`path` without those folders. The system's own stay: `git` lies there."""
    kept = [
        folder
        for folder in path.split(os.pathsep)
        if folder in ("/bin", "/usr/bin") or not any(os.access(os.path.join(folder, name), os.X_OK) for name in FIRST_OF)
    ]
    return os.pathsep.join(kept)


PATH = without_agents(os.environ["PATH"])
