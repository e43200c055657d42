"""Which repository this is, and whether `ao` can work in it as things are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentops.host.git import Git


@dataclass(frozen=True, slots=True)
class Repository:
    """A git work tree that can be worked in. All paths absolute, as the file system decodes them (`os.fsdecode`).

    `git_dir`: this work tree's own (`.git`, or `.git/worktrees/NAME`). `common_dir`: shared by all work trees.
    `state`: our own folder, `common_dir/ao`, mode 0700. `branch`: short name. `head`: commit at discovery.
    `notices`: what a person should know before they rely on us here.
    """

    top: str
    git_dir: str
    common_dir: str
    state: str
    branch: str
    head: str
    notices: tuple[str, ...] = ()


def discover(git: Git, cwd: str, env: Mapping[str, str]) -> Repository:
    """The repository that `cwd` lies in. Raises EnvironmentUnusable with the command that mends it."""
    raise NotImplementedError
