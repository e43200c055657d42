"""What a process is asked to do and how it ended; the one launcher behind every process of the product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from agentops.core.stops import Scope, Stop


class SandboxLevel(StrEnum):
    """How strongly a process tree was held, strongest first; part of the cycle's row."""

    BWRAP = "bwrap"
    UNSHARE = "unshare"
    GROUP = "group"
    OFF = "off"


class Ended(StrEnum):
    """How a run ended (evolve.md section 4). Facts about the run, never a judgement of the work."""

    OK = "ok"
    NO_OP = "no_op"
    DECLINED = "declined"
    ERROR = "error"
    LIMIT = "limit"
    OVERLOADED = "overloaded"
    AUTH = "auth"
    PERMISSION_DENIED = "permission_denied"
    STALLED = "stalled"
    TIMEOUT = "timeout"
    KILLED = "killed"
    TRUNCATED = "truncated"
    SPAWN_ERROR = "spawn_error"
    BAD_CONFIG = "bad_config"


PAUSES = frozenset({Ended.LIMIT, Ended.OVERLOADED})
"""Endings that are waited for: no attempt, rest or breaker is charged."""


@dataclass(frozen=True, slots=True)
class Mounts:
    """What a tree may write. Paths are absolute; one that does not exist is ignored.

    The base is the whole file system, writable (`base_writable`) or read-only; `read_only` and `masked` win over
    `writable`, the longer path wins over the shorter. Levels that cannot mount ignore all of it and say so by their name.
    """

    base_writable: bool = True
    writable: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    network: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes; None is no limit.

    `idle`: neither output nor CPU time anywhere in the tree for so long. `drain`: how long output is still read after
    the main process has ended (a child may hold the pipe for ever: loop-peers B-H12). `head`/`tail`: bytes kept of each
    stream; what lies between is counted and dropped. `start`: within so long it must have printed a first byte
    (loop-peers B-H1); it ends as stalled like one that falls silent later.
    """

    total: float | None = None
    idle: float | None = None
    start: float | None = None
    drain: float = 0.5
    head: int = 64 * 1024
    tail: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Spec:
    """One process to run. `argv[0]` is resolved by `env["PATH"]`; never a shell unless argv names one.

    `contained`: the whole tree is held at the strongest level there is and is proven gone afterwards. Off only for our
    own short commands (git plumbing), which start nothing that outlives them.
    `merged`: stderr goes into stdout, in order. `marker`: the value of `AO_RUN_ID` by which survivors are found.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: bytes = b""
    limits: Limits = field(default_factory=Limits)
    mounts: Mounts = field(default_factory=Mounts)
    contained: bool = True
    merged: bool = False
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended. `code` is None when a signal ended it or when it never started.

    `stop` is set when our scope ended it. `out`/`err` hold the first bytes and `out_tail`/`err_tail` the last ones of
    what did not fit; `dropped` counts the bytes between. `survivors`: processes of its tree that could not be ended.
    """

    ended: Ended
    code: int | None
    signal: int | None = None
    out: bytes = b""
    out_tail: bytes = b""
    err: bytes = b""
    err_tail: bytes = b""
    dropped: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    survivors: int = 0
    level: SandboxLevel = SandboxLevel.OFF
    error: str = ""
    stop: Stop | None = None

    @property
    def good(self) -> bool:
        return self.code == 0 and self.ended is Ended.OK

    @property
    def cannot_run(self) -> bool:
        """A shell's words for a tool that is not there, or that may not be executed."""
        return self.code in (126, 127)

    @property
    def killed(self) -> bool:
        """SIGKILL, seen directly or through a shell: where we did not send it, most likely for want of memory."""
        return self.code == 128 + 9 or self.signal == 9


OnLine = Callable[[bytes], None]
"""Called with every complete line of stdout, its line ending removed; a line over 8 MiB arrives cut, once."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A run that has not ended. `index`: of its spec, from 0; seconds since its start; CPU seconds of its whole tree so far.

    `busy`: the share of looks (20 a second while something waits) at which its tree computed or wanted to. On a crowded
    machine it tells who waits for a processor from who waits for something else; CPU time alone does not.
    """

    index: int
    seconds: float
    cpu_seconds: float
    busy: float


Slots = int | Callable[[Sequence[Beside]], bool]
"""How many runs go on side by side: a number, or the answer to "may one more start beside these?", asked again and again."""


class Host(Protocol):
    """The one launcher: agents, checks, git, evaluators."""

    def run(self, spec: Spec, scope: Scope, on_line: OnLine | None = None) -> Exit: ...

    def run_all(self, specs: Iterable[Spec], scope: Scope, slots: Slots) -> Iterator[tuple[int, Exit]]:
        """Run many side by side, as many at once as `slots` says; yields (index, exit) as they end.

        A spec is taken from `specs` when it is about to start, not before. Beside nothing, one always starts.
        """
        ...
