"""The crash file: what a bug report needs, kept off the screen."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence

from agentops import __version__
from agentops.host.clock import SystemClock
from agentops.host.files import write_atomic
from agentops.records.times import utc_text


def write_crash_file(argv: Sequence[str], what: Exception) -> str | None:
    """Write it into the state folder if there is one, else into the folder for temporary files; its path, or None.

    The environment is left out: it may hold secrets, and the file is meant to be pasted into a report.
    """
    now = SystemClock().now().wall
    text = "\n".join(
        (
            f"ao {__version__} crashed at {utc_text(now)}",
            f"python  {sys.version.split()[0]} ({platform.platform()})",
            f"git     {shutil.which('git') or 'not found'}",
            f"command {' '.join(['ao', *argv])}",
            "",
            "".join(traceback.format_exception(what)),
        )
    )
    name = f"crash-{utc_text(now).replace(':', '').replace('-', '')}-{os.getpid()}.txt"
    for folder in (_state_folder(), tempfile.gettempdir()):
        if folder is None:
            continue
        path = os.path.join(folder, name)
        try:
            write_atomic(path, text.encode("utf-8", "backslashreplace"))
        except OSError:
            continue
        return path
    return None


def _state_folder() -> str | None:
    """`<git folder>/ao` of the repository around us, found by reading alone: a crash must not start processes."""
    try:
        folder = os.getcwd()
    except OSError:
        return None
    while True:
        git = os.path.join(folder, ".git")
        if os.path.isfile(git):
            git = _linked(git)
        state = os.path.join(git, "ao")
        if os.path.isdir(state):
            return state
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _linked(file: str) -> str:
    """The common git folder behind a linked worktree's `.git` file (gitrepository-layout(5))."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as told:
            git = os.path.join(os.path.dirname(file), told.readline().removeprefix("gitdir:").strip())
        with open(os.path.join(git, "commondir"), encoding="utf-8", errors="surrogateescape") as told:
            return os.path.join(git, told.readline().strip())
    except OSError:
        return file
