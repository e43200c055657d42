"""HEAD, branches and the reflog, read from git's own files: a cycle asks often, and a process costs milliseconds.

Sources: gitrepository-layout(5); packed-refs is `<oid> SP <name>` a line; a reflog line is
`<old> SP <new> SP <who> SP <seconds> SP <zone> TAB <message>`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentops.core.errors import EnvironmentUnusable
from agentops.host.files import read_bounded

BRANCHES = "refs/heads/"
_SMALL = 64 * 1024
_PACKED = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands. `branch`: short name, None when detached. `sha`: None when the branch has no commit yet."""

    branch: str | None
    sha: str | None


@dataclass(frozen=True, slots=True)
class Moved:
    """One line of a reflog."""

    old: str
    new: str
    message: str


@dataclass(frozen=True, slots=True)
class LogEnd:
    """Where a reflog ended at some moment: its size in bytes and its last line, to know the place again."""

    size: int = 0
    last: str = ""


def read_head(git_dir: str, common_dir: str) -> Head:
    """Raises EnvironmentUnusable when HEAD is not readable as a file of git's."""
    try:
        text = os.fsdecode(read_bounded(os.path.join(git_dir, "HEAD"), _SMALL)).strip("\r\n")
    except OSError as error:
        raise EnvironmentUnusable(f"{git_dir}/HEAD can't be read: {error.strerror}", mend="git fsck") from error
    if not text.startswith("ref:"):
        return Head(None, text or None)
    name = text[4:].strip()
    if not name.startswith(BRANCHES):
        return Head(None, read_ref(common_dir, name))
    return Head(name[len(BRANCHES) :], read_ref(common_dir, name))


def read_ref(common_dir: str, name: str, depth: int = 5) -> str | None:
    """The object that a full ref name stands for; None when there is no such ref."""
    try:
        text = os.fsdecode(read_bounded(os.path.join(common_dir, name), _SMALL)).strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return _packed(common_dir, name)
    if text.startswith("ref:") and depth:
        return read_ref(common_dir, text[4:].strip(), depth - 1)
    return text or None


def _packed(common_dir: str, name: str) -> str | None:
    try:
        data = read_bounded(os.path.join(common_dir, "packed-refs"), _PACKED)
    except FileNotFoundError:
        return None
    at = data.find(b" " + os.fsencode(name) + b"\n")
    return None if at < 0 else data[data.rfind(b"\n", 0, at) + 1 : at].decode("ascii")


def log_end(git_dir: str) -> LogEnd:
    """Where HEAD's reflog ends now."""
    data = _read_log(git_dir)
    return LogEnd(len(data), _line_text(data.rstrip(b"\n").rpartition(b"\n")[2]))


def moves_since(git_dir: str, end: LogEnd) -> tuple[Moved, ...]:
    """What HEAD's reflog gained since `end`, oldest first.

    A log that was rewritten meanwhile (expired, cut) is searched for the remembered line; when that is gone too, every
    line counts, which can only make more moves look foreign: the safe side.
    """
    data = _read_log(git_dir)
    before = data[: end.size]
    if len(before) == end.size and _line_text(before.rstrip(b"\n").rpartition(b"\n")[2]) == end.last:
        fresh = data[end.size :]
    else:
        lines = data.split(b"\n")
        known = [at for at, line in enumerate(lines) if _line_text(line) == end.last]
        fresh = b"\n".join(lines[known[-1] + 1 :]) if known and end.last else data
    return tuple(move for line in fresh.split(b"\n") if (move := parse_move(line)) is not None)


def parse_move(line: bytes) -> Moved | None:
    """One reflog line; None for a torn or empty one."""
    facts, _, message = line.partition(b"\t")
    parts = facts.split(b" ", 2)
    if len(parts) < 3 or len(parts[0]) != len(parts[1]) or len(parts[0]) not in (40, 64):
        return None
    return Moved(parts[0].decode("ascii", "replace"), parts[1].decode("ascii", "replace"), message.decode("utf-8", "replace"))


def _read_log(git_dir: str) -> bytes:
    try:
        return read_bounded(os.path.join(git_dir, "logs", "HEAD"), _PACKED)
    except FileNotFoundError:
        return b""


def _line_text(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace")
