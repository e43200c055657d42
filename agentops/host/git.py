"""Git as a command door: clean environment, nothing of the repository's that runs, no prompts, time-limited, stoppable."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass

from agentops.core.errors import GitFailed
from agentops.core.processes import Exit, Host, Limits, Spec
from agentops.core.stops import Scope
from agentops.host.drivers import Drivers, command_at, without_diff_drivers
from agentops.host.environment import names_a_git_place, resolve
from agentops.host.faults import fault

_OUTPUT_LIMIT = 1 << 30
_SECONDS = 900.0

# An agent that may write .git would otherwise get code run by our next command, outside its sandbox (design-review E3).
# The rest keeps a person's taste out of what we parse and background work out of a tree that we compare.
_ALWAYS = (
    "core.fsmonitor=false",
    "core.quotePath=false",
    "core.alternateRefsCommand=",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "color.ui=false",
    "log.showSignature=false",
    "credential.interactive=false",
    "advice.detachedHead=false",
)
_NO_HOOKS = ("core.hooksPath=/dev/null",)
# git 2.39 fsyncs neither objects nor refs by itself (design-review E7). Of index files it writes only our private ones, which
# no crash needs; the person's own is replaced by us (tree/index_moves.py).
_DURABLE = ("core.fsync=objects,derived-metadata,reference", "core.fsyncMethod=batch")

# Variables that change what a command means rather than where it looks; ours must mean what it says.
_MEANING = frozenset(
    {
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",
        "GIT_ATTR_SOURCE",
        "GIT_DEFAULT_HASH",
        "GIT_REFLOG_ACTION",
    }
)

_DISK_FULL = (b"No space left on device", b"Disk quota exceeded")


@dataclass(frozen=True, slots=True)
class GitOutput:
    """What a command said, as bytes. `text`: decoded, without its last line break; `records`: split at NUL."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return os.fsdecode(self.out.removesuffix(b"\n"))

    @property
    def records(self) -> list[bytes]:
        return self.out.removesuffix(b"\0").split(b"\0") if self.out else []


class Git:
    """Runs git in one folder. Keep one for as long as its repository is of interest: it remembers what it asked once.

    Arguments are text or raw bytes (paths that are no UTF-8). `env` is the environment to start from, else our own.
    """

    def __init__(self, host: Host, scope: Scope, cwd: str, env: Mapping[str, str] | None = None) -> None:
        self.host, self.scope, self.cwd = host, scope, cwd
        base = os.environ if env is None else env
        self._env = {name: value for name, value in base.items() if not names_a_git_place(name) and name not in _MEANING}
        self._env |= {
            "LC_ALL": "C",
            "LANGUAGE": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_EDITOR": "false",
            "GIT_SEQUENCE_EDITOR": "false",
            "GIT_PAGER": "cat",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
        }
        # Found once: a cycle runs git two dozen times, and nothing that appears on PATH later may take its place.
        self._program = resolve("git", self._env) or "git"
        self._drivers = Drivers(self._ask)

    def within(self, scope: Scope) -> Git:
        """The same door under another scope."""
        other = Git(self.host, scope, self.cwd, self._env)
        other._drivers = self._drivers
        return other

    def run(
        self,
        *args: str | bytes,
        stdin: bytes = b"",
        index: str | None = None,
        check: bool = True,
        durable: bool = False,
        writes: bool = False,
        env_extra: Mapping[str, str] | None = None,
        hooks: bool = False,
        filters: bool = False,
    ) -> GitOutput:
        """Run one command. `index`: use this index file. `writes`: it may take locks (reads must not: loop-peers B-W11).

        `durable`: what it writes is on the disk before this returns. `hooks`, `filters` (diff and merge drivers with
        them): let the repository's run after all. Raises `GitFailed` when `check` and the code is not 0; always when it
        did not start or was ended.
        """
        words = tuple(one if isinstance(one, str) else os.fsdecode(one) for one in args)
        env = self._environment(index, writes, env_extra)
        if not filters:
            env |= self._drivers.silenced(words)
        settings = (*_ALWAYS, *(() if hooks else _NO_HOOKS), *(_DURABLE if durable else ()))
        point = f"git.{''.join(words[command_at(words) :][:1])}"
        if writes:
            fault(f"{point}.before")
        done = self._start(settings, words if filters else without_diff_drivers(words), stdin, env)
        if writes:
            fault(f"{point}.after")
        return _checked(words, done, check)

    def _environment(self, index: str | None, writes: bool, extra: Mapping[str, str] | None) -> dict[str, str]:
        env = dict(self._env)
        env["GIT_OPTIONAL_LOCKS"] = "1" if writes else "0"
        if index is not None:
            env["GIT_INDEX_FILE"] = index
        return env | dict(extra or {})

    def _start(self, settings: tuple[str, ...], words: tuple[str, ...], stdin: bytes, env: Mapping[str, str]) -> Exit:
        configured = tuple(part for one in settings for part in ("-c", one))
        argv = (self._program, "--no-pager", *configured, *words)
        limits = Limits(total=_SECONDS, head=_OUTPUT_LIMIT, tail=0)
        return self.host.run(Spec(argv, self.cwd, env, stdin, limits, contained=False), self.scope)

    def _ask(self, *words: str) -> bytes | None:
        """A question about the configuration; None when git has no answer."""
        done = self._start((*_ALWAYS, *_NO_HOOKS), words, b"", self._environment(None, False, None))
        return done.out if done.good else None


def _checked(words: tuple[str, ...], done: Exit, check: bool) -> GitOutput:
    shown = ("git", *words)
    if done.code is None or done.stop is not None:
        why = done.error or (f"told to stop: {done.stop.detail}" if done.stop is not None else f"it was ended ({done.ended})")
        raise GitFailed(shown, done.code, done.err or why.encode())
    if done.dropped:
        raise GitFailed(shown, done.code, b"it wrote more than 1 GiB")
    if check and done.code != 0:
        if any(said in done.err for said in _DISK_FULL):
            # A full disk is a pause and no failure of git's: it is told as every other write tells it (loop-peers C2-21).
            raise OSError(errno.ENOSPC, f"`{' '.join(shown)}` found no room on the disk")
        raise GitFailed(shown, done.code, done.err)
    return GitOutput(done.code, done.out, done.err)
