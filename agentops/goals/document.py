"""The goals file: where it is found, and what it says. Parsing is pure; only `find_goals_file` and `load` look at the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal
from agentops.goals.lines import Problem
from agentops.goals.markdown import parse_markdown
from agentops.goals.model import Format, GoalsDocument
from agentops.goals.table import render_table
from agentops.host import files

__all__ = ["GoalsDocument", "Problem", "find_goals_file", "load", "parse", "render"]

_LARGEST = 4 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


NAMES = ("GOALS.md", "GOALS.yaml", os.path.join("goals", "GOALS.md"))
"""Where goals are looked for in each folder, the first one found wins."""


def find_goals_file(cwd: str, top: str | None) -> str | None:
    """The nearest goals file from `cwd` upwards to `top` (git's top; without it, `cwd` alone)."""
    # Real paths on both sides: git names its top so, and a walk that never meets the top would leave the repository.
    folder = os.path.realpath(cwd)
    highest = os.path.realpath(top) if top is not None else folder
    while True:
        for name in NAMES:
            path = os.path.join(folder, name)
            if os.path.lexists(path) and not os.path.isdir(path):
                return path
        parent = os.path.dirname(folder)
        if folder in (highest, parent):
            return None
        folder = parent


def load(path: str) -> GoalsDocument:
    """Read a goals file. Raises UnusableFile, with line and column where the trouble is inside the file."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UnusableFile(f"{path} is not a regular file", mend="make it a text file")
        raw = files.read_bounded(path, _LARGEST + 1)
    except OSError as error:
        raise UnusableFile(f"{path} cannot be read: {error.strerror or error}", mend=f"ls -l {path}") from error
    if len(raw) > _LARGEST:
        raise UnusableFile(f"{path} is larger than 4 MiB, which no goals file is", mend=f"ls -l {path}")
    return parse(raw, path)


def parse(raw: bytes, path: str = "GOALS.md") -> GoalsDocument:
    """What the bytes of a goals file say. Raises UnusableFile for bytes that are no text, or none at all."""
    text = _text(raw, path)
    if format_of(path) is Format.YAML:
        from agentops.goals.yaml_document import parse_yaml  # its library is needed for such a file alone

        return parse_yaml(text, path, raw)
    return parse_markdown(text, path, raw)


def format_of(path: str) -> Format:
    """By the end of its name; everything that is not YAML is read as Markdown."""
    return Format.YAML if path.casefold().endswith((".yaml", ".yml")) else Format.MARKDOWN


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
        raise UnusableFile(f"{path} is empty", mend="write goals into it (docs/goals.md)")
    return text


def _place(raw: bytes, at: int) -> str:
    """`:line:column` of a byte, both from 1, the column in characters as an editor counts."""
    before = raw[:at].removeprefix(_BOM)
    start = before.rfind(b"\n") + 1
    return f":{before.count(bytes([10])) + 1}:{len(before[start:].decode('utf-8', 'replace')) + 1}"
