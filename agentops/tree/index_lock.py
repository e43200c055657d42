"""Git's own lock on the index: taken as git takes it, waited for, and cleared away only when provably nobody holds it."""

from __future__ import annotations

import os
from types import TracebackType

import psutil

from agentops.core.errors import EnvironmentUnusable
from agentops.host.faults import fault
from agentops.host.files import read_bounded, remove
from agentops.tree.checkout import Checkout

PATIENCE = 20.0
STALE = 60.0
_POLL = 0.05
_OURS = b"ao "


class IndexLock:
    """`index.lock` of this work tree, held for as long as the context lasts. Raises EnvironmentUnusable when it stays held.

    A lock of ours whose process is dead is cleared at once; a stranger's when it is older than `STALE` seconds, no process
    has it open and no git runs in this repository (loop-peers B-W10). `patience` in seconds.
    """

    def __init__(self, checkout: Checkout, patience: float = PATIENCE) -> None:
        self.checkout, self.patience = checkout, patience
        self.path = f"{checkout.index_path}.lock"

    def __enter__(self) -> IndexLock:
        git = self.checkout.git
        until = git.scope.clock.now().plus(self.patience)
        while not self._try():
            if abandoned(self.path, self.checkout):
                remove(self.path)
                continue
            now = git.scope.clock.now()
            if now.mono >= until.mono or git.scope.wait(now.plus(_POLL)) is not None:
                raise EnvironmentUnusable(
                    f"{self.path} is held by another git command.", mend=f"wait for it; if none runs: rm {self.path}"
                )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        remove(self.path)

    def _try(self) -> bool:
        fault("index_lock.take.before")
        try:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            return False
        try:
            os.write(fd, _OURS + f"{os.getpid()} {_born(os.getpid())}\n".encode())
            fault("index_lock.take.after")
        except BaseException:  # no room to say whose it is: left behind, it would lock us out ourselves
            remove(self.path)
            raise
        finally:
            os.close(fd)
        return True


def clear_own(checkout: Checkout) -> None:
    """Remove a lock that a crash of ours left, also where the act that is done again has no need of it any more."""
    path = f"{checkout.index_path}.lock"
    if _ours_and_dead(path):
        remove(path)


def abandoned(path: str, checkout: Checkout) -> bool:
    """Nobody can be holding the lock any more."""
    if _ours_and_dead(path):
        return True
    try:
        age = checkout.clock.now().wall - os.stat(path).st_mtime
    except OSError:
        return False
    return age > STALE and not _held(path, checkout)


def _ours_and_dead(path: str) -> bool:
    try:
        words = read_bounded(path, 200).split()
    except OSError:
        return False
    ours = len(words) == 3 and words[0] == _OURS.strip() and words[1].isdigit()
    return ours and _born(int(words[1])) != words[2].decode("ascii", "replace")


def _held(path: str, checkout: Checkout) -> bool:
    """Some process has the file open, or a git command runs in this repository (git closes its lock before renaming it)."""
    real = os.path.realpath(path)
    inside = tuple(os.path.realpath(one) for one in (checkout.repository.top, checkout.repository.git_dir))
    for process in psutil.process_iter():
        try:
            if any(os.path.realpath(file.path) == real for file in process.open_files()):
                return True
            cwd = process.cwd() if process.name().startswith("git") else ""
            if any(cwd == folder or cwd.startswith(folder + os.sep) for folder in inside):
                return True
        except psutil.NoSuchProcess:
            continue
        except psutil.Error:
            if _is_git(process):
                return True  # another user's git: we can't see what it holds, so it may be this
    return False


def _is_git(process: psutil.Process) -> bool:
    try:
        return process.name().startswith("git")
    except psutil.Error:
        return False


def _born(pid: int) -> str:
    """The start time of a process, by which a reused pid is told apart; empty when there is none (loop-peers B-O8)."""
    try:
        return f"{psutil.Process(pid).create_time():.2f}"
    except psutil.Error:
        return ""
