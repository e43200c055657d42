"""Commands that a repository's configuration would have git run: filters, diff and merge drivers. Found and switched off.

Which of them apply is decided by attributes in the tree, which an agent may write; so all that are defined are emptied.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from agentops.host.files import stamp

_DEFINED = r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|include(if\..*)?\.path)$"
_PLAIN_MERGE = "git merge-file %A %O %B"
_NO_DIFF_DRIVERS = ("--no-ext-diff", "--no-textconv")
_WITH_VALUE = frozenset({"-c", "-C", "--git-dir", "--work-tree", "--namespace", "--config-env"})
_SHOWING = frozenset({"diff", "diff-files", "diff-index", "diff-tree", "format-patch", "log", "show", "whatchanged"})

# Commands that never read or write the content of working files, and never merge. Any other one is protected; also one
# that only writes the index: it compares entries as young as the index by content, through a clean filter.
_HARMLESS = frozenset(
    {
        "branch",
        "check-ref-format",
        "commit-tree",
        "config",
        "count-objects",
        "for-each-ref",
        "init",
        "ls-tree",
        "merge-base",
        "mktree",
        "pack-refs",
        "reflog",
        "remote",
        "rev-list",
        "rev-parse",
        "show-ref",
        "symbolic-ref",
        "tag",
        "update-ref",
        "var",
        "version",
    }
)

_Signature = tuple[tuple[int, int, int] | None, ...]


class Drivers:
    """What one repository defines, asked again only when its configuration file has changed.

    `ask` runs a git command and returns its output, or None when it failed.
    """

    def __init__(self, ask: Callable[..., bytes | None]) -> None:
        self._ask = ask
        self._files: tuple[bytes, ...] | None = None
        self._seen: _Signature | None = None
        self._silenced: dict[str, str] = {}

    def silenced(self, words: tuple[str, ...]) -> dict[str, str]:
        """Environment variables that empty every driver, for a command that could run one."""
        if _harmless(words):
            return {}
        if self._files is None:
            self._files = self._find_files()
        signature = tuple(map(stamp, self._files))
        if self._seen is None or signature != self._seen:
            self._silenced, included = self._look()
            self._seen = None if included else signature  # a file included from elsewhere may change unseen
        return self._silenced

    def _find_files(self) -> tuple[bytes, ...]:
        said = self._ask("rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir")
        if said is None:
            return ()
        folders = said.splitlines()
        return tuple(os.path.join(folder, name) for folder, name in zip(folders, (b"config", b"config.worktree"), strict=False))

    def _look(self) -> tuple[dict[str, str], bool]:
        said = self._ask("config", "-z", "--show-scope", "--name-only", "--get-regexp", _DEFINED)
        if not said:
            return {}, False
        fields = [os.fsdecode(one) for one in said.removesuffix(b"\0").split(b"\0")]
        included, names = False, []
        for scope, name in zip(fields[::2], fields[1::2], strict=False):
            if name.startswith("include"):
                included = included or scope in ("local", "worktree")
            elif name not in names:
                names.append(name)
        # Through the environment and not by -c: a driver's name may hold an equals sign.
        env = {"GIT_CONFIG_COUNT": str(len(names))} if names else {}
        for at, name in enumerate(names):
            env[f"GIT_CONFIG_KEY_{at}"] = name
            env[f"GIT_CONFIG_VALUE_{at}"] = _silent(name)
        return env, included


def without_diff_drivers(words: tuple[str, ...]) -> tuple[str, ...]:
    """The same command, told to show differences itself: an empty external diff is an error to git, not a "none"."""
    at = command_at(words)
    command = words[at] if at < len(words) else ""
    flags = _NO_DIFF_DRIVERS if command in _SHOWING else ("--no-textconv",) if command in ("blame", "grep") else ()
    return (*words[: at + 1], *flags, *words[at + 1 :])


def command_at(words: tuple[str, ...]) -> int:
    """Where the command's name stands, after git's own options."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return at


def _silent(name: str) -> str:
    if name.endswith(".required"):
        return "false"
    # An empty merge driver would succeed and keep one side; git's own merge of three files says when it conflicts.
    return _PLAIN_MERGE if name.startswith("merge.") else ""


def _harmless(words: tuple[str, ...]) -> bool:
    """Whether the command runs neither filters nor merge drivers."""
    at = command_at(words)
    command = words[at] if at < len(words) else ""
    if command in _HARMLESS:
        return True
    if command == "hash-object":
        return "--no-filters" in words
    if command == "cat-file":
        return "--filters" not in words and "--textconv" not in words
    if command == "read-tree":
        return not any(word.startswith("-") and "u" in word for word in words[at + 1 :] if not word.startswith("--"))
    return command == "diff-tree"
