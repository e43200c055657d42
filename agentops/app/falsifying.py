"""`ao goals validate --falsify`: every check on an empty tree of its own, far from the repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace

from agentops.app.goal_files import open_goals
from agentops.app.measuring import Interrupted
from agentops.core.errors import AoError
from agentops.core.fitness import Goal
from agentops.goals.checks import Watch
from agentops.goals.falsify import Falsified, falsify
from agentops.goals.folder import Folder
from agentops.goals.validation import Validation
from agentops.host.clock import SystemClock
from agentops.host.environment import clean_environment
from agentops.host.folders import drop_folder, fresh_folder, private_folder
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.host.signals import Signals

_EMPTY_COMMIT = ("commit", "--quiet", "--allow-empty", "--no-verify", "--message", "empty")
_NOBODY = {
    "GIT_AUTHOR_NAME": "ao",
    "GIT_AUTHOR_EMAIL": "ao@localhost",
    "GIT_COMMITTER_NAME": "ao",
    "GIT_COMMITTER_EMAIL": "ao@localhost",
}


def falsified(
    cwd: str, env: Mapping[str, str], file: str | None, found: Validation, watch: Watch
) -> tuple[Validation, Falsified]:
    """The validation with a warning for each check that passes on an empty tree. Raises Interrupted when stopped."""
    document = open_goals(cwd, env, file).document
    clean = clean_environment(env)[0]
    base = fresh_folder(private_folder(f"falsify-{os.getpid()}"))
    clock = SystemClock()
    try:
        with Signals() as signals:
            scope, host = StopScope(clock, signals=signals, pulse=watch.tick), Launcher(clock)
            empty = _empty_tree(os.path.join(base, "empty"), Git(host, scope, base, clean))

            def place(goal: Goal) -> Folder:
                path = os.path.join(base, goal.id)
                shutil.copytree(empty, path, symlinks=True)
                return Folder(path, env, run=f"falsify-{os.getpid()}")

            seen = falsify(document, place, host, scope, watch=watch)
            stopped = scope.stopped()
    finally:
        drop_folder(base)
    if seen is None:
        raise Interrupted(stopped.detail, stopped.exit_code) if stopped else Interrupted()
    warnings = [f"goal {goal}: vacuous? its check passes on an empty tree too" for goal in seen.vacuous]
    warnings += [f"goal {goal}: its check did not come to an end on an empty tree" for goal in seen.unknown]
    return replace(found, warnings=(*found.warnings, *warnings)), seen


def _empty_tree(path: str, git: Git) -> str:
    """A repository with one commit and no file in it; where git is missing, a folder with nothing in it."""
    os.mkdir(path)
    try:
        git.run("init", "--quiet", "--template=", path, writes=True)
        git.run("-C", path, *_EMPTY_COMMIT, writes=True, env_extra=_NOBODY)
    except (AoError, OSError):
        pass
    return path
