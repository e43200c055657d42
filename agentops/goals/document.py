"""GOALS.md: where it is found, and what it says. Parsing is pure; only `find_goals_file` and `load` look at the disk.

Read are the mission (the first line of text under the first `# ` heading) and the first `## Gates` section. Code fences
and HTML comments are not read: a row that is shown or commented out must not run.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentops.core.errors import UnusableFile
from agentops.core.fitness import Goal
from agentops.goals.table import Line, Problem, parse_table, render_table
from agentops.host import files

__all__ = ["GoalsDocument", "Problem", "find_goals_file", "load", "parse", "render"]

_LARGEST = 4 * 1024 * 1024
_HEADING = re.compile(r" {0,3}(#{1,6})(?![^ \t])")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})(.*)")
_BULLET = re.compile(r"\s*[-*]\s+\W{0,3}(check|command|weight)\b", re.IGNORECASE)
_GOAL_HEADING = re.compile(r"`?[a-z0-9]+(?:-[a-z0-9]+)*`?")
_LINE_END = re.compile(r"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class GoalsDocument:
    """A goals file as read: `raw` are its bytes; `problems` are in the order of its lines."""

    path: str
    mission: str
    goals: tuple[Goal, ...]
    problems: tuple[Problem, ...]
    raw: bytes

    def of(self, goal_id: str) -> Goal | None:
        return next((goal for goal in self.goals if goal.id == goal_id), None)


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
    lines = list(enumerate(_LINE_END.split(_text(raw, path)), start=1))
    shown, problems = _shown(lines)
    headings = [(at, *found) for at, (_, text) in enumerate(shown) if (found := _heading(text))]
    gates = [at for at, level, title in headings if level == 2 and title.casefold() == "gates"]
    if not gates:
        return GoalsDocument(path, _mission(shown), (), (*problems, _no_gates(shown, headings)), raw)
    end = next((at for at, level, _ in headings if at > gates[0] and level <= 2), len(shown))
    goals, found_problems = parse_table(shown[gates[0] + 1 : end])
    problems += found_problems
    problems += [Problem(shown[at][0], "a second `## Gates` section is not read", fatal=True) for at in gates[1:]]
    if not goals and not any(problem.fatal for problem in problems):
        problems.append(Problem(shown[gates[0]][0], "the `## Gates` section holds no goal", fatal=False))
    return GoalsDocument(path, _mission(shown), goals, tuple(sorted(problems, key=lambda problem: problem.line)), raw)


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


def _shown(lines: Sequence[Line]) -> tuple[list[Line], list[Problem]]:
    """The lines outside code fences and HTML comments. A hidden line is kept as an empty one, so that blocks end there."""
    shown: list[Line] = []
    fence = ""
    comment = False
    opened = 0
    for number, text in lines:
        hidden = True
        if fence:
            closing = _FENCE.fullmatch(text)
            if closing and closing[1].startswith(fence) and not closing[2].strip():
                fence = ""
        elif comment:
            comment = "-->" not in text
        elif opening := _FENCE.fullmatch(text):
            fence, opened = opening[1], number
        elif text.lstrip().startswith("<!--"):
            comment, opened = "-->" not in text, number
        else:
            hidden = False
        shown.append((number, "" if hidden else text))
    if fence or comment:
        what = "code fence" if fence else "comment"
        return shown, [Problem(opened, f"a {what} begins here and never ends; nothing below is read", fatal=True)]
    return shown, []


def _heading(text: str) -> tuple[int, str] | None:
    """Level and title of a `#` heading; a closing run of `#` is no part of the title."""
    found = _HEADING.match(text)
    if found is None:
        return None
    title = text[found.end() :].strip()
    open_end = title.rstrip("#")
    closed = not open_end or open_end[-1] in " \t"
    return len(found[1]), (open_end if closed else title).strip()


def _mission(shown: Sequence[Line]) -> str:
    """The first line of text between the first `# ` heading and the next heading."""
    after = False
    for _, text in shown:
        heading = _heading(text)
        if heading and after:
            return ""
        if heading:
            after = heading[0] == 1
        elif after and text.strip():
            return text.strip()
    return ""


def _no_gates(shown: Sequence[Line], headings: Sequence[tuple[int, int, str]]) -> Problem:
    """Why there are no goals: usually no section, sometimes the bullet form that upstream's set-up page shows."""
    for at, level, title in headings:
        if level == 2 and _GOAL_HEADING.fullmatch(title) and any(_BULLET.match(text) for text in _until_heading(shown, at)):
            return Problem(
                shown[at][0],
                f"`## {title}` with bullets looks like a goal, but goals are rows of a table under `## Gates`; it is not read",
                fatal=True,
            )
    return Problem(0, "there is no `## Gates` section, so there are no goals", fatal=False)


def _until_heading(shown: Sequence[Line], at: int) -> Iterator[str]:
    for _, text in shown[at + 1 :]:
        if _heading(text):
            return
        yield text
