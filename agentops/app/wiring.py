"""Whether a repository's own scripts hang together: what is named is there, and every check script is called by something."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from agentops.core.errors import UnusableFile
from agentops.goals.document import find_goals_file, load
from agentops.goals.wiring import named_paths
from agentops.host import files

_LARGEST = 1024 * 1024
_CALLERS = ("Makefile", "makefile", "GNUmakefile", "justfile", "package.json", ".pre-commit-config.yaml", ".gitlab-ci.yml")
_CALLING_FOLDERS = (".github/workflows", ".ci", ".githooks", ".husky", "scripts")
_SCRIPT = re.compile(r"(?<![\w./-])(?:\./)?(scripts/[\w.-]+(?:/[\w.-]+)*\.(?:sh|py|js|rb|pl))\b")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OpenEnds:
    """`wrong`: one line each; `named`: how many names of scripts were looked up."""

    wrong: tuple[str, ...]
    named: int


def open_ends(root: str) -> OpenEnds:
    """What goals, continuous integration, make, hooks and scripts name below `scripts/`, held against what is there."""
    called = dict(_callers(root))
    named = {(caller, name) for caller, text in called.items() for name in _SCRIPT.findall(text)}
    goals = tuple(_goals(root))
    named |= {(f"goal {goal}", path.removeprefix("./")) for goal, check in goals for path in named_paths(check)}
    missing = [
        f"{caller} names {name}, which is not there" for caller, name in named if not os.path.exists(os.path.join(root, name))
    ]
    checks = "\n".join(check for _, check in goals)
    idle = [
        f"scripts/{name} is called by nothing: no goal, no CI, no script"
        for name in _checks(root)
        if not any(_mentioned(name, text) for text in (checks, *(t for c, t in called.items() if c != f"scripts/{name}")))
    ]
    return OpenEnds((*sorted(missing), *idle), len(named))


def _goals(root: str) -> Iterator[tuple[str, str]]:
    try:
        path = find_goals_file(root, root)
        if path is not None:
            yield from ((goal.id, goal.check) for goal in load(path).goals)
    except UnusableFile:
        return  # `ao goals validate` says so; wiring is another question


def _callers(root: str) -> Iterator[tuple[str, str]]:
    """Files that call scripts, with their text; comments name scripts without calling them."""
    for name in _CALLERS:
        yield from _text(root, name)
    for folder in _CALLING_FOLDERS:
        try:
            names = sorted(os.listdir(os.path.join(root, folder)))
        except OSError:
            continue
        for name in names:
            yield from _text(root, f"{folder}/{name}")


def _text(root: str, name: str) -> Iterator[tuple[str, str]]:
    path = os.path.join(root, name)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return
        yield name, _COMMENT.sub("", files.read_bounded(path, _LARGEST).decode("utf-8", "replace"))
    except OSError:
        return


def _checks(root: str) -> list[str]:
    """`check-*.sh` below `scripts/`, but for the one that asks."""
    try:
        names = os.listdir(os.path.join(root, "scripts"))
    except OSError:
        return []
    return sorted(name for name in names if re.fullmatch(r"check-.+\.sh", name) and name != "check-wiring-closure.sh")


def _mentioned(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
