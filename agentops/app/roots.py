"""The folder from which a script counts: as named, else the repository's top, else where it was called."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.app.opening import open_here
from agentops.core.errors import EnvironmentUnusable, UsageError


def root_of(cwd: str, env: Mapping[str, str], named: str | None) -> str:
    """The absolute root. Raises UsageError when the named folder is none."""
    if named is not None:
        root = os.path.join(cwd, named)
        if not os.path.isdir(root):
            raise UsageError(f"{root} is no folder", mend="--repo-root DIR")
        return os.path.abspath(root)
    try:
        return open_here(cwd, env, to_work=False, make=False).repository.top
    except EnvironmentUnusable:
        return cwd
