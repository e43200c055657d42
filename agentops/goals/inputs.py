"""What a goal says it depends on: matching paths against `inputs`, and a fingerprint of everything its check can see there.

Globs: `*` and `?` stay within one folder, `**` crosses any number of them; a folder's name stands for all below it.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import re
import stat
from collections.abc import Iterator, Mapping

from agentops.core.fitness import Goal
from agentops.host.environment import resolve

MOST_FILES = 5_000
MOST_BYTES = 64 * 1024 * 1024
"""What is larger is measured: reading it would take as long as many checks do."""
_NOT_FOR_TOOLS = re.compile(
    r"AO_.*|_|SHLVL|PWD|OLDPWD|TERM|COLUMNS|LINES|WINDOWID|SSH_.*|DISPLAY|XAUTHORITY|DBUS_.*|XDG_SESSION.*|TMUX.*|STY|PS\d|TMPDIR"
)
"""Variables that differ between two terminals and change nothing for a check; any other one that differs is another world."""
MOST_LOOKED_AT = 50_000
_WILD = re.compile(r"[*?\[]")
_WORD = re.compile(r"[\w./+@%:=-]+")


def concerns(goal: Goal, path: str) -> bool:
    """Whether the goal's result may depend on this path, by its `inputs` or because its check names it."""
    return any(matches(path, pattern) for pattern in goal.inputs) or path in goal.check


def matches(path: str, pattern: str) -> bool:
    """Whether a path (from the top, `/` between its parts) is one that the glob means."""
    return _compiled(pattern.strip().removeprefix("./").rstrip("/")).fullmatch(path) is not None


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    made = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?|\[!?[^/\]]+\])", pattern):
        match part:
            case "**/":
                made += "(?:[^/]+/)*"
            case "**":
                made += ".*"
            case "*":
                made += "[^/]*"
            case "?":
                made += "[^/]"
            case _ if part.startswith("[") and part.endswith("]"):
                made += ("[^" + part[2:] if part.startswith("[!") else part).replace("\\", "\\\\")
            case _:
                made += re.escape(part)
    try:
        return re.compile(f"{made}(?:/.*)?", re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def fingerprint(goal: Goal, folder: str, env: Mapping[str, str]) -> str | None:
    """One text for all that the goal declares to depend on: its check, the files of `inputs` and those that the check names,
    byte for byte, the tools that it calls, and the environment. None: it declares nothing, or too much to read.

    Two equal fingerprints mean that the check would see the same; what a goal depends on and does not declare is not in it.
    """
    if not goal.inputs:
        return None
    seen = hashlib.blake2b(digest_size=16)
    budget = _Budget()

    def note(*facts: str | bytes) -> None:
        for fact in facts:
            raw = fact.encode("utf-8", "surrogateescape") if isinstance(fact, str) else fact
            seen.update(len(raw).to_bytes(8, "big") + raw)

    note("1", os.path.realpath(folder), goal.check, repr(goal.timeout), goal.metric or "", repr(goal.threshold))
    for name in sorted(env):
        if not _NOT_FOR_TOOLS.fullmatch(name):
            note(name, env[name])
    try:
        for word in dict.fromkeys(_WORD.findall(goal.check)):
            note(word, _tool(word, env, folder))
            if os.path.isfile(os.path.join(folder, word)):
                note(*budget.contents(folder, word))
        for pattern in goal.inputs:
            note("inputs", pattern)
            for path in _files(pattern, folder):
                note(path, *budget.contents(folder, path))
    except (_TooMuch, OSError):
        return None
    return seen.hexdigest()


class _TooMuch(Exception):
    """More than it is worth to read."""


class _Budget:
    def __init__(self) -> None:
        self.files, self.bytes = 0, 0

    def contents(self, folder: str, path: str) -> tuple[bytes, bytes]:
        """Kind and bytes of a file: of what a link leads to, and where it leads."""
        full = os.path.join(folder, path)
        facts = os.stat(full)
        self.files, self.bytes = self.files + 1, self.bytes + facts.st_size
        if not stat.S_ISREG(facts.st_mode) or self.files > MOST_FILES or self.bytes > MOST_BYTES:
            raise _TooMuch
        leads = os.fsencode(os.readlink(full)) if os.path.islink(full) else b""
        with open(full, "rb") as file:
            return b"%o %s" % (facts.st_mode, leads), file.read()


def _files(pattern: str, folder: str) -> Iterator[str]:
    """Files that the pattern means, in the order of their names; a pattern without any yields nothing, a fact as well."""
    fixed = "/".join(itertools.takewhile(lambda part: not _WILD.search(part), pattern.strip().removeprefix("./").split("/")))
    if os.path.isfile(os.path.join(folder, fixed)):
        yield fixed
        return
    looked = 0
    for above, below, names in os.walk(os.path.join(folder, fixed)):
        below[:] = sorted(name for name in below if name != ".git")
        if any(os.path.islink(os.path.join(above, name)) for name in below):
            raise _TooMuch  # the check can see through a link to a folder, and what changes behind it is in no walk
        looked += len(names) + len(below)
        if looked > MOST_LOOKED_AT:
            raise _TooMuch
        inside = os.path.relpath(above, folder)
        for name in sorted(names):
            path = name if inside == os.curdir else f"{inside}/{name}"
            if matches(path, pattern):
                yield path


def _tool(word: str, env: Mapping[str, str], folder: str) -> str:
    """Which program a word of the check would start, by its place, size and time; empty for what is none."""
    path = resolve(word, env, folder)
    if path is None:
        return ""
    facts = os.stat(path)
    return f"{os.path.realpath(path)} {facts.st_size} {facts.st_mtime_ns}"
