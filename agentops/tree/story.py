"""The commits of a span of history, with whose they are: what a person wants to read in the morning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agentops.host.git import Git
from agentops.tree.refs import LogEnd, Moved, moves_since

MOST = 200
_FORMAT = "%H%x00%at%x00%an%x00%(trailers:key=Ao-Cycle,valueonly,separator=%x2C)%x00%s%x00"
_COUNTS = re.compile(rb"(\d+) (file|insertion|deletion)")
_MARK = re.compile(r"ao:(.+?)\.\d+/(\d+)(?:$|[: ])")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. `cycle`: whose work it is; None for a person's. `wall`: when it was written, seconds since the epoch.

    `added` and `deleted` count lines, those of binary files not.
    """

    sha: str
    title: str
    author: str
    wall: float
    cycle: int | None = None
    files: int = 0
    added: int = 0
    deleted: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """Commits, oldest first; `more`: how many older ones were left out."""

    commits: tuple[Commit, ...] = ()
    more: int = 0


def story(git: Git, git_dir: str, session: str, old: str, new: str, most: int = MOST) -> Story:
    """What lies between two commits, the newest `most` of it. Raises GitFailed, also when either is gone."""
    if not old or not new or old == new:
        return Story()
    span = f"{old}..{new}"
    said = git.run("log", f"--max-count={most}", f"--format={_FORMAT}", "--shortstat", span, "--").out
    found = parse(said, cycles(moves_since(git_dir, LogEnd()), session))
    more = int(git.run("rev-list", "--count", span, "--").text) - len(found) if len(found) >= most else 0
    return Story(tuple(reversed(found)), more)


def cycles(moves: Iterable[Moved], session: str) -> dict[str, int]:
    """Commits that a move with a mark of this session brought in, each with its cycle."""
    found: dict[str, int] = {}
    for move in moves:
        mark = _MARK.match(move.message)
        if mark is not None and mark[1] == session:
            found.setdefault(move.new, int(mark[2]))
    return found


def parse(said: bytes, made_in: Mapping[str, int]) -> list[Commit]:
    """The commits of `git log` in our format, newest first. `made_in`: cycles known from elsewhere, by commit."""
    found: list[Commit] = []
    parts = said.split(b"\0")
    sha = parts[0].strip()
    for at in range(1, len(parts) - 4, 5):
        wall, author, trailer, title, rest = parts[at : at + 5]
        stat, _, following = rest.rpartition(b"\n")
        counts = {kind: int(number) for number, kind in _COUNTS.findall(stat)}
        name = sha.decode("ascii", "replace")
        found.append(
            Commit(
                sha=name,
                title=title.decode("utf-8", "backslashreplace"),
                author=author.decode("utf-8", "backslashreplace"),
                wall=float(wall),
                cycle=made_in.get(name, int(trailer) if trailer.isdigit() else None),
                files=counts.get(b"file", 0),
                added=counts.get(b"insertion", 0),
                deleted=counts.get(b"deletion", 0),
            )
        )
        sha = following.strip()
    return found
