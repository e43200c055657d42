"""The configuration of the repository that a folder lies in, before anything else is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.policy.configuration import Configuration
from agentops.policy.reading import read


def configuration(cwd: str, env: Mapping[str, str]) -> Configuration:
    """What files and environment say for the repository around `cwd`, else for `cwd` itself. Raises BadConfiguration.

    No git is asked: settings come before the machine is touched, and a folder that git refuses gets git's own reason later.
    """
    return read(top_of(os.path.realpath(cwd)), env)


def top_of(folder: str) -> str:
    """The folder with the repository around this one; itself where there is none."""
    at = folder
    while not os.path.lexists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at
