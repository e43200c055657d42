"""The goals file: where it is found, and what it says. Parsing is pure; only `find_goals_file` and `load` look at the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal
from agentops.goals.lines import Problem
from agentops.goals.markdown import parse_markdown
from agentops.goals.model import GoalsDocument
from agentops.goals.table import render_table
from agentops.host import files

__all__ = ["GoalsDocument", "Problem", "find_goals_file", "load", "parse", "render"]

_LARGEST = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def find_goals_file(cwd: str, top: str | None) -> str | None:
    """The nearest `GOALS.md` or `goals/GOALS.md` from `cwd` upwards to `top` (git's top; without it, `cwd` alone).

    Raises UnusableFile for a `GOALS.yaml` that stands alone: passing it over would mean working without its goals.
    """
    # Real paths on both sides: git names its top so, and a walk that never meets the top would leave the repository.
    folder = os.path.realpath(cwd)
    highest = os.path.realpath(top) if top is not None else folder
    while True:
        for name in ("GOALS.md", os.path.join("goals", "GOALS.md")):
            path = os.path.join(folder, name)
            if os.path.lexists(path) and not os.path.isdir(path):
                return path
        yaml = os.path.join(folder, "GOALS.yaml")
        if os.path.lexists(yaml):
            raise UnusableFile(
                f"{yaml} is not read by this version; goals are read from GOALS.md",
                mend="write its goals as a `## Gates` table in GOALS.md beside it (docs/goals.md)",
            )
        parent = os.path.dirname(folder)
        if folder in (highest, parent):
            return None
        folder = parent


def load(path: str) -> GoalsDocument:
    """Read a goals file. Raises UnusableFile, with line and column where the trouble is inside the file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnusableFile(f"{path} is not a regular file", mend="make GOALS.md a text file")
        raw = files.read_bounded(path, _LARGEST + 1)
    except OSError as error:
        raise UnusableFile(f"{path} cannot be read: {error.strerror or error}", mend=f"ls -l {path}") from error
    if len(raw) > _LARGEST:
        raise UnusableFile(f"{path} is larger than 4 MiB, which no goals file is", mend=f"ls -l {path}")
    return parse(raw, path)


def parse(raw: bytes, path: str = "GOALS.md") -> GoalsDocument:
    """What the bytes of a goals file say. Raises UnusableFile for bytes that are no text, or none at all."""
    return parse_markdown(_text(raw, path), path, raw)


def render(mission: str, goals: Sequence[Goal]) -> str:
    """A goals file that says this; `mission` is one line that is no heading."""
    return f"# Goals\n\n{mission}\n\n## Gates\n\n{render_table(goals)}"


def _text(raw: bytes, path: str) -> str:
    if (at := raw.find(b"\0")) != -1:
        raise UnusableFile(f"{path}{_place(raw, at)}: a NUL byte: this is no text file", mend=f"file {path}")
    try:
        text = raw.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + (len(_BOM) if raw.startswith(_BOM) else 0)
        raise UnusableFile(
            f"{path}{_place(raw, at)}: not UTF-8", mend=f"iconv -t UTF-8 {path}   (with its encoding as -f)"
        ) from error
    if not text.strip():
        raise UnusableFile(f"{path} is empty", mend="write a `## Gates` table into it (docs/goals.md)")
    return text


def _place(raw: bytes, at: int) -> str:
    """`:line:column` of a byte, both from 1, the column in characters as an editor counts."""
    before = raw[:at].removeprefix(_BOM)
    start = before.rfind(b"\n") + 1
    return f":{before.count(bytes([10])) + 1}:{len(before[start:].decode('utf-8', 'replace')) + 1}"
