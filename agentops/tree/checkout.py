"""A repository together with what every act on it needs: git's door, a clock, settings, our stores and memories."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from agentops.core.clock import Clock
from agentops.host.entries import replace
from agentops.host.files import ensure_folder, remove
from agentops.host.git import Git, GitOutput
from agentops.tree.blobs import Blobs
from agentops.tree.changes import TreeChange
from agentops.tree.manifest import Own, Raw, Signature
from agentops.tree.refs import Head, read_head
from agentops.tree.repository import Repository
from agentops.tree.settings import Filters, Settings


class Checkout:
    """One work tree. Raw paths (`bytes`) are relative to its top; `at` gives the absolute one.

    `known` and `known_own` remember what contents hash to, by signature, and `trees` the trees of commits, `changes` the last
    differences of trees, `proven` the file times that were compared with an index:
    where little changes, little is read. They only save work.
    """

    def __init__(self, repository: Repository, git: Git, clock: Clock, env: Mapping[str, str] | None = None) -> None:
        self.repository, self.git, self.clock = repository, git, clock
        self.settings = Settings(repository, git, os.environ if env is None else env)
        self.blobs = Blobs(os.path.join(repository.state, "blobs"))
        self.known: dict[str, tuple[Raw, int]] = {}
        self.known_own: dict[str, tuple[Own, int]] = {}
        self.trees: dict[str, str] = {}
        self.changes: dict[tuple[str, str], dict[bytes, TreeChange]] = {}
        self.proven: tuple[str, dict[bytes, tuple[int, int]]] = ("", {})
        self.top = os.fsencode(repository.top)

    @property
    def width(self) -> int:
        """Bytes of an object id."""
        return 32 if self.settings.values().get("extensions.objectformat") == "sha256" else 20

    @property
    def zero(self) -> str:
        return "0" * (2 * self.width)

    @property
    def index_path(self) -> str:
        return os.path.join(self.repository.git_dir, "index")

    def at(self, path: bytes) -> bytes:
        return os.path.join(self.top, path)

    def head(self) -> Head:
        return read_head(self.repository.git_dir, self.repository.common_dir)

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        if commit not in self.trees:
            self.trees[commit] = self.git.run("rev-parse", "--verify", f"{commit}^{{tree}}").text
        return self.trees[commit]

    def forget(self) -> bool:
        """Remember nothing any more; True when there was something."""
        anything = bool(self.known or self.known_own or self.trees)
        self.known.clear()
        self.known_own.clear()
        self.trees.clear()
        return anything

    def scratch(self, name: str) -> str:
        """A path for a temporary file of ours, on the state folder's file system; what a crash left there is removed."""
        folder = os.path.join(self.repository.state, "tmp")
        ensure_folder(folder)
        path = os.path.join(folder, f"{name}.{os.getpid()}")
        remove(path)
        remove(f"{path}.lock")
        return path

    def snapshots(self, run: str, cycle: int) -> str:
        """Where the manifests of a cycle lie."""
        return os.path.join(self.repository.state, "snapshots", run, str(cycle))

    def aside(self, run: str, cycle: int, name: str) -> str:
        """Where things go that can neither be stored nor be left in the tree."""
        return os.path.join(self.repository.state, "aside", run, str(cycle), name.replace("/", "%2F"))

    def filtered(self, *args: str | bytes, filters: Filters, stdin: bytes = b"", index: str | None = None) -> GitOutput:
        """A command that converts contents as the person's configuration of the start says, and nobody else's."""
        env = self.settings.filter_environment(filters)
        return self.git.run(*args, stdin=stdin, index=index, durable=True, writes=True, env_extra=env, filters=True)

    def private(self, *args: str | bytes, index: str, stdin: bytes = b"", durable: bool = False) -> GitOutput:
        """A command on an index file of ours, with every filter off, whatever the command.

        Also one that only writes the index looks into files: entries as young as the index itself are compared by content.
        """
        env = self.settings.filter_environment({})
        return self.git.run(*args, stdin=stdin, index=index, durable=durable, writes=True, env_extra=env, filters=True)

    def look(self, path: bytes) -> os.stat_result | None:
        """The entry itself, never through a symbolic link in any part of the path; None when it is not there."""
        if not self.real_folder(os.path.dirname(path)):
            return None
        try:
            return os.lstat(self.at(path))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def real_folder(self, folder: bytes) -> bool:
        """Every part of the path is a folder and none a link: what lies there lies in the tree."""
        here = self.top
        for part in folder.split(b"/") if folder else ():
            here = os.path.join(here, part)
            try:
                if not stat.S_ISDIR(os.lstat(here).st_mode):
                    return False
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def read(self, path: bytes) -> tuple[bytes, Signature]:
        """The bytes of a file (or the text of a link) with the facts that belong to them. Raises OSError.

        Never waits for a pipe and never follows a link.
        """
        full = self.at(path)
        facts = os.lstat(full)
        if stat.S_ISLNK(facts.st_mode):
            return os.readlink(full), Signature.of(facts)
        fd = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            for last in (False, False, True):  # a log that grows while we read is taken as it stands
                before = os.fstat(fd)
                if not stat.S_ISREG(before.st_mode):
                    raise OSError(errno.EINVAL, "not a file", os.fsdecode(full))
                data = _all_of(fd, before.st_size)
                after = Signature.of(os.fstat(fd))
                if last or after == Signature.of(before):
                    return data, after
            raise AssertionError("unreachable")
        finally:
            os.close(fd)

    def move_aside(self, path: bytes, target: str) -> bool:
        """Out of the tree as it is, in one act; False when that is not possible (another file system, already there)."""
        ensure_folder(os.path.dirname(target))
        if os.path.lexists(target):
            return False
        try:
            replace(self.at(path), os.fsencode(target))
        except OSError:
            return False
        return True


_shared: WeakKeyDictionary[Git, Checkout] = WeakKeyDictionary()


def shared(repository: Repository, git: Git, clock: Clock, env: Mapping[str, str] | None = None) -> Checkout:
    """The checkout that goes with this door of git: acts that follow each other share what it remembers."""
    found = _shared.get(git)
    if found is None or found.repository != repository or env is not None:
        found = _shared[git] = Checkout(repository, git, clock, env)
    return found


def _all_of(fd: int, size: int) -> bytes:
    blocks, at = [], 0
    while at < size and (block := os.pread(fd, size - at, at)):
        blocks.append(block)
        at += len(block)
    return b"".join(blocks)
