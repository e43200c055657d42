"""Git's configuration as it stands, and how its filters are kept from running what a cycle put there."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.host.files import stamp
from agentops.host.git import Git
from agentops.tree.repository import Repository

Filters = Mapping[str, Mapping[str, str]]
"""Filter drivers by name: `clean`, `smudge`, `process`, `required` (gitattributes(5))."""

_FILTER_KEYS = ("clean", "smudge", "process", "required")
_FALSE = frozenset({"false", "no", "off", "0", ""})


class Settings:
    """The whole configuration (all files and includes), read by one process and again only when a file of it changed."""

    def __init__(self, repository: Repository, git: Git, env: Mapping[str, str]) -> None:
        self._repository, self._git = repository, git
        home = env.get("HOME", os.path.expanduser("~"))
        self._files = {
            os.path.join(repository.common_dir, "config"),
            os.path.join(repository.git_dir, "config.worktree"),
            os.path.join(home, ".gitconfig"),
            os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git", "config"),
            "/etc/gitconfig",
        }
        self._seen: dict[str, tuple[int, int, int] | None] = {}
        self._values: dict[str, str] = {}

    def values(self) -> Mapping[str, str]:
        """Every key as git prints it, the last value wins."""
        if not self._seen or any(stamp(path) != mark for path, mark in self._seen.items()):
            self._read()
        return self._values

    def flag(self, key: str, default: bool) -> bool:
        value = self.values().get(key)
        return default if value is None else value.lower() not in _FALSE

    def filters(self) -> dict[str, dict[str, str]]:
        """The filter drivers that are configured now."""
        found: dict[str, dict[str, str]] = {}
        for key, value in self.values().items():
            if key.startswith("filter."):
                name, _, what = key[len("filter.") :].rpartition(".")
                if name and what in _FILTER_KEYS:
                    found.setdefault(name, {})[what] = value
        return found

    def filter_environment(self, allowed: Filters) -> dict[str, str]:
        """Environment that gives each driver what `allowed` gives it and empties every other one.

        A driver that a cycle configured would otherwise run outside every sandbox (design-review E3), while one that was
        there at the start (git-lfs) must run where files are checked out or committed, or pointers take their place.
        """
        pairs: list[tuple[str, str]] = []
        present = self.filters()
        for name in sorted({*present, *allowed}):
            given = allowed.get(name, {})
            # An empty `process` would switch `clean` and `smudge` off as well, so only what is there is emptied.
            keys = [key for key in _FILTER_KEYS if key in given or key in present.get(name, {})]
            pairs += [(f"filter.{name}.{key}", given.get(key, "false" if key == "required" else "")) for key in keys]
        env = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for at, (key, value) in enumerate(pairs):
            env |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
        return env

    def _read(self) -> None:
        before = {path: stamp(path) for path in self._files}
        out = self._git.run("config", "-z", "--list", "--show-origin").out
        fields = out.split(b"\0")
        values: dict[str, str] = {}
        for origin, pair in zip(fields[0::2], fields[1::2], strict=False):
            if origin.startswith(b"command line"):
                continue  # the switches of our own door are no choice of the person's
            if origin.startswith(b"file:"):
                path = os.path.join(self._repository.top, os.fsdecode(origin[len(b"file:") :]))
                before.setdefault(path, stamp(path))
            key, _, value = pair.partition(b"\n")
            values[os.fsdecode(key)] = os.fsdecode(value) if b"\n" in pair else "true"
        self._values, self._seen = values, before
