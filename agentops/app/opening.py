"""Opening a repository: the machine, the door to git, and where everything of ours lies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentops.core.stops import Scope
from agentops.evolve.stop_files import stop_files
from agentops.host.clock import SystemClock
from agentops.host.environment import clean_environment
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopFile, StopScope
from agentops.tree.as_found import AsFound, as_found
from agentops.tree.repository import Repository, discover


@dataclass(frozen=True, slots=True)
class Here:
    """A repository with what is needed to look at it. `env` is ours without what would redirect git or nest an agent;
    `dropped` names what was left out. `found`: folders as they were before we wrote anything.
    """

    repository: Repository
    git: Git
    host: Launcher
    scope: Scope
    clock: SystemClock
    env: dict[str, str]
    dropped: tuple[str, ...]
    cwd: str
    found: AsFound = field(default_factory=dict)

    @property
    def state(self) -> str:
        return self.repository.state

    @property
    def agents(self) -> str:
        return os.path.join(self.repository.top, ".agents")

    @property
    def journal(self) -> str:
        return os.path.join(self.state, "journal.jsonl")

    @property
    def events(self) -> str:
        return os.path.join(self.state, "events.jsonl")

    @property
    def lock(self) -> str:
        return os.path.join(self.state, "lock")

    @property
    def pause(self) -> str:
        """The file that `ao pause` leaves."""
        return os.path.join(self.state, "PAUSE")

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know of environment and repository before they rely on us here."""
        dropped = (f"dropped from the environment: {', '.join(self.dropped)}",) if self.dropped else ()
        return (*dropped, *self.repository.notices)

    @property
    def stop_files(self) -> tuple[StopFile, ...]:
        return stop_files(self.repository.top, self.env)


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
    return Here(repository, git, launcher, bound, clock, clean, dropped, os.path.realpath(cwd), as_found(repository.top))
