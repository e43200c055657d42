"""The goals file that a person means, opened; and what is remembered of measurements that they asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from agentops.app.opening import Here, open_here
from agentops.core.errors import EnvironmentUnusable, UnusableFile, UsageError
from agentops.core.fitness import Fitness
from agentops.goals.checks import MEASURING
from agentops.goals.directives import Directive
from agentops.goals.document import GoalsDocument, find_goals_file, load
from agentops.goals.model import Format
from agentops.goals.validation import Validation, unreadable, validate
from agentops.host.clock import SystemClock
from agentops.records import goal_history, snapshots
from agentops.tree.exclude import exclude_local

NO_GOALS = "there is no GOALS.md or GOALS.yaml here or above"
HOW_TO_BEGIN = "ao goals init   (writes one that fits this repository)"


@dataclass(frozen=True, slots=True)
class Opened:
    """A goals file and where it was found. `top`: git's top, outside git the folder; `cwd`: where checks run."""

    document: GoalsDocument
    here: Here | None
    top: str
    cwd: str

    @property
    def name(self) -> str:
        """The goals file below the top."""
        return os.path.relpath(os.path.realpath(self.document.path), os.path.realpath(self.top))


def find(cwd: str, env: Mapping[str, str], file: str | None) -> tuple[str | None, Here | None]:
    """The path of the goals file that is meant, and the repository. `file`: as the person named it; it wins as it is."""
    try:
        here: Here | None = open_here(cwd, env, to_work=False)
    except EnvironmentUnusable:
        here = None  # goals are measured in any folder; without git the sha is empty
    path = os.path.join(cwd, file) if file else find_goals_file(cwd, here.repository.top if here else None)
    return path, here


def open_goals(cwd: str, env: Mapping[str, str], file: str | None) -> Opened:
    """The goals file that is meant, read. Raises UnusableFile when there is none, or it does not load."""
    path, here = find(cwd, env, file)
    if path is None:
        raise UnusableFile(NO_GOALS, mend=HOW_TO_BEGIN)
    return Opened(load(path), here, here.repository.top if here else cwd, cwd)


def validated(cwd: str, env: Mapping[str, str], file: str | None) -> Validation:
    """Whether the file is as it should be. A file that does not load is an answer, not an error."""
    try:
        opened = open_goals(cwd, env, file)
    except UnusableFile as error:
        return unreadable(str(error))
    folder = os.path.join(cwd, "scripts")
    scripts = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    checks = [name for name in scripts if name.startswith("check-") and name.endswith(".sh")]
    return validate(opened.document, lambda path: os.path.exists(os.path.join(cwd, path)), checks)


def directives(cwd: str, env: Mapping[str, str], file: str | None) -> tuple[Directive, ...]:
    """The directives of the goals file. Raises UsageError for a GOALS.yaml, which has none."""
    return markdown_only(open_goals(cwd, env, file)).document.directives


def markdown_only(opened: Opened) -> Opened:
    """The same file, if it can hold directives. Raises UsageError."""
    if opened.document.format is not Format.MARKDOWN:
        raise UsageError(
            f"{opened.document.path} cannot hold directives: they are a part of GOALS.md", mend="ao goals migrate --to-md"
        )
    return opened


def remember(opened: Opened, fitness: Fitness, env: Mapping[str, str]) -> str | None:
    """Keep a whole measurement for `drift`, `history` and `export`; the path, None when nothing was written.

    Inside a cycle or another measurement nothing is kept: there it would be a change of the tree that is judged.
    Raises OSError.
    """
    if env.get("AO_RUN_ID") or env.get(MEASURING):
        return None
    if opened.here is not None:
        exclude_local(opened.here.repository)
    folder = os.path.join(opened.top, snapshots.MEASURED)
    path = snapshots.save(folder, fitness, SystemClock().now().wall, goals_file=opened.name)
    goal_history.append(opened.top, fitness, path)
    return path
