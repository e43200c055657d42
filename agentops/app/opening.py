"""Opening a repository: the machine, the door to git, and where everything of ours lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from agentops.core.stops import Scope
from agentops.host.clock import SystemClock
from agentops.host.environment import clean_environment
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope
from agentops.tree.repository import Repository, discover


@dataclass(frozen=True, slots=True)
class Here:
    """A repository with what is needed to look at it. `env` is ours without what would redirect git or nest an agent;
    `dropped` names what was left out.
    """

    repository: Repository
    git: Git
    host: Launcher
    scope: Scope
    clock: SystemClock
    env: dict[str, str]
    dropped: tuple[str, ...]
    cwd: str

    @property
    def state(self) -> str:
        return self.repository.state

    @property
    def agents(self) -> str:
        return os.path.join(self.repository.top, ".agents")


def open_here(
    cwd: str,
    env: Mapping[str, str],
    host: Launcher | None = None,
    scope: Scope | None = None,
    *,
    to_work: bool = True,
    make: bool = True,
) -> Here:
    """The repository that `cwd` lies in. Raises EnvironmentUnusable where nothing can be worked on.

    Without `to_work` only where there is nothing to look at: `ao status` and `ao stop` must answer in the middle of a merge.
    Without `make` nothing is written.
    """
    clean, dropped = clean_environment(env)
    clock = SystemClock()
    launcher = host or Launcher(clock)
    bound = scope or StopScope(clock)
    repository = discover(Git(launcher, bound, cwd, clean), cwd, env, to_work=to_work, make=make)
    git = Git(launcher, bound, repository.top, clean)
    return Here(repository, git, launcher, bound, clock, clean, dropped, os.path.realpath(cwd))


def stop_files(repository: Repository, env: Mapping[str, str]) -> tuple[StopFile, ...]:
    """The three files that stop a session, with the grace that each gives (evolve.md section 1)."""
    below = os.path.join(repository.top, ".agents")
    config = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".config")
    return (
        StopFile(os.path.join(config, "evolve", "KILL"), 0.0, False),
        StopFile(os.path.join(below, "rpi", "KILL"), 0.0, False),
        StopFile(os.path.join(below, "evolve", "STOP"), 1.5, True),
    )
