"""What the owner wants kept from agents and checks: paths that are hidden, a network that gate commands do without."""

from __future__ import annotations

import os

from agentops.app.opening import Here
from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.processes import SandboxLevel
from agentops.policy.settings import Settings


def masked_paths(settings: Settings, here: Here) -> tuple[str, ...]:
    """`sandbox.masked` as absolute paths: `~` is the home, what is relative begins at the repository's top.

    Raises UsageError for a path that the repository or our own state lies in: nothing could work behind it.
    """
    found = []
    for path in settings.masked:
        whole = os.path.join(here.repository.top, _from_home(path, here.env.get("HOME", "")))
        real = os.path.realpath(whole)
        for needed in (here.repository.top, here.state):
            if os.path.commonpath((real, os.path.realpath(needed))) == real:
                raise UsageError(f"sandbox.masked: {path} would hide {needed} itself", mend="${EDITOR:-vi} ao.toml")
        found.append(whole)
    return tuple(found)


def check_shelter(settings: Settings, here: Here) -> None:
    """Raises EnvironmentUnusable where what was asked for cannot be kept: a secret that is half hidden is not hidden."""
    wanted = [
        *(["sandbox.masked"] if masked_paths(settings, here) else []),
        *(["gate.network = false"] if not settings.gate_network else []),
    ]
    if wanted and here.host.level is not SandboxLevel.BWRAP:
        raise EnvironmentUnusable(
            f"{' and '.join(wanted)} cannot be kept: only the sandbox level `{here.host.level}` works here",
            mend="install bubblewrap, or take the setting out",
        )


def shelter_words(settings: Settings) -> str:
    """For the start line about the place."""
    hidden = f", hidden: {', '.join(settings.masked)}" if settings.masked else ""
    return hidden + ("" if settings.gate_network else ", gate commands without network")


def _from_home(path: str, home: str) -> str:
    return os.path.join(home, path[2:]) if home and path.startswith("~/") else path
