"""A real repository with a person and a cycle's agent in it, as small verbs; and everything about it that can be seen."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentops.core.places import Effect, Purpose, Settled, Start
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.tree.inplace import InPlace
from agentops.tree.repository import Repository, discover

RUN = "20261130-2304-a1b2.1"


@dataclass(frozen=True)
class Look:
    """All that a person could notice. `files`: (mode, bytes or link text) by path, folders with None."""

    files: dict[bytes, tuple[int, bytes | None]]
    status: bytes
    index: bytes
    flags: bytes
    branch: str
    tree: str


class Ground:
    """`run` keeps the same names over several places, as recovery does."""

    def __init__(self, top: Path, home: Path) -> None:
        self.top, self.home = top, home
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
        self.mark: dict[str, str] = {}

    def git(self, *args: str | bytes, env: Mapping[str, str] | None = None, check: bool = True, stdin: bytes = b"") -> bytes:
        """As the person would type it."""
        argv = ["git", *args]
        whole = {**self.env, **(env or {})}
        done = subprocess.run(argv, cwd=self.top, env=whole, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0 or not check, (argv, done.stderr)
        return done.stdout

    def agent(self, *args: str | bytes, check: bool = False) -> bytes:
        """As the cycle's agent does it: with its mark in the environment, and not minding when git refuses."""
        return self.git(*args, env=self.mark, check=check)

    def agent_commits(self, *paths: str, message: str = "agent") -> None:
        self.agent("add", "-A", "--", *paths)
        self.agent("commit", "-q", "-m", message)

    def person_commits(self, *paths: str, message: str = "person") -> None:
        self.git("add", "-A", "--", *paths)
        self.git("commit", "-q", "-m", message, "--", *paths)

    def write(self, path: str | bytes, data: str | bytes = "x\n", mode: int | None = None) -> Path:
        full = Path(os.fsdecode(os.path.join(os.fsencode(self.top), os.fsencode(path))))
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data.encode() if isinstance(data, str) else data)
        if mode is not None:
            full.chmod(mode)
        return full

    def read(self, path: str) -> bytes:
        return (self.top / path).read_bytes()

    def log(self, *args: str) -> list[str]:
        return self.git("log", "--format=%s", *args).decode().splitlines()

    def repository(self) -> Repository:
        return discover(self.door(), str(self.top), self.env)

    def door(self) -> Git:
        clock = SystemClock()
        return Git(Launcher(clock), StopScope(clock, ()), str(self.top), self.env)

    def place(self, run: str = RUN) -> InPlace:
        """A new one, as after a restart."""
        return InPlace(self.repository(), self.door(), SystemClock(), run, env=self.env)

    def begin(self, place: InPlace, cycle: int = 1) -> Start:
        start = place.begin(cycle)
        self.mark = {"GIT_REFLOG_ACTION": place.spec(["true"], Purpose.AGENT, start=start).env["GIT_REFLOG_ACTION"]}
        return start

    def look(self) -> Look:
        files: dict[bytes, tuple[int, bytes | None]] = {}
        for here, folders, names in os.walk(os.fsencode(self.top)):
            if here == os.fsencode(self.top) and b".git" in folders:
                folders.remove(b".git")
            for name in (*folders, *names):
                full = os.path.join(here, name)
                facts = os.lstat(full)
                data: bytes | None = None
                if stat.S_ISLNK(facts.st_mode):
                    data = os.readlink(full)
                elif stat.S_ISREG(facts.st_mode):
                    with open(full, "rb") as file:
                        data = file.read()
                files[os.path.relpath(full, os.fsencode(self.top))] = facts.st_mode, data
        quiet = {"GIT_OPTIONAL_LOCKS": "0"}
        status = self.git("status", "--porcelain=v2", "-z", "-uall", "--ignored", env=quiet)
        return Look(
            files,
            # HEAD's ids are in the status; a revert commit changes the commit, not what the lines say about paths.
            status,
            self.git("ls-files", "-z", "-s", env=quiet),
            self.git("ls-files", "-z", "-v", "-t", env=quiet),
            self.git("symbolic-ref", "-q", "HEAD", check=False).decode().strip(),
            self.git("rev-parse", "HEAD^{tree}").decode().strip(),
        )


def differing(one: Look, other: Look) -> dict[str, object]:
    """What is not the same, for a message that shows it."""
    found: dict[str, object] = {
        name: (getattr(one, name), getattr(other, name))
        for name in ("status", "index", "flags", "branch", "tree")
        if getattr(one, name) != getattr(other, name)
    }
    paths = {path for path in one.files.keys() | other.files.keys() if one.files.get(path) != other.files.get(path)}
    if paths:
        found["files"] = {path: (one.files.get(path), other.files.get(path)) for path in sorted(paths)}
    return found


@dataclass(frozen=True)
class Cycle:
    """One cycle on the ground, from its start on."""

    ground: Ground
    place: InPlace
    start: Start
    before: Look

    def effect(self) -> Effect:
        return self.place.effect(self.start)

    def taken_back(self) -> Settled:
        return self.place.take_back(self.start, self.effect())

    def kept(self, title: str = "work") -> Settled:
        return self.place.keep(self.start, self.effect(), title)

    def is_as_before(self) -> None:
        found = differing(self.before, self.ground.look())
        assert not found, found


def cycle(ground: Ground, number: int = 1) -> Cycle:
    """A cycle begins; what can be seen at that moment is remembered."""
    place = ground.place()
    before = ground.look()
    start = ground.begin(place, number)
    assert differing(before, ground.look()) == {}, "a snapshot changes nothing"
    return Cycle(ground, place, start, before)
