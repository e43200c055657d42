"""Stop files, signals, budgets and deadlines as one thing that every blocking call is handed."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentops.core.clock import Clock, Instant
from agentops.core.errors import ExitCode
from agentops.core.stops import Scope, Stop, StopReason
from agentops.host.signals import Signals

AFTER_CYCLE = "after-cycle"
_SHOWN = 200
_EXIT_OF_SIGNAL = {"SIGHUP": ExitCode.SIGHUP, "SIGINT": ExitCode.SIGINT, "SIGTERM": ExitCode.SIGTERM}


@dataclass(frozen=True, slots=True)
class StopFile:
    """A path whose existence means stop, whatever it is. `grace` in seconds, for the running tree.

    `honours_after_cycle`: a first line `after-cycle` lets the running cycle end first.
    """

    path: str
    grace: float
    honours_after_cycle: bool = False


class _Watch:
    """What all scopes of one session share: looks at most every `poll` seconds, and at once after a signal."""

    def __init__(
        self,
        clock: Clock,
        files: Sequence[StopFile],
        signals: Signals | None,
        pulse: Callable[[], None] | None,
        poll: float,
        extra: Sequence[Callable[[], Stop | None]],
    ) -> None:
        self.clock, self.files, self.signals, self.pulse, self.poll, self.extra = clock, files, signals, pulse, poll, extra
        self.found: Stop | None = None
        self._next = clock.now().mono
        self._heard = 0

    @property
    def heard(self) -> int:
        return 0 if self.signals is None else self.signals.count

    def look(self, now: Instant) -> Stop | None:
        if now.mono < self._next and self.heard == self._heard:
            return self.found
        self._next = now.mono + self.poll  # before the callbacks: one of them may ask us again
        self._heard = self.heard
        if self.signals is not None:
            self.signals.drain()
        if self.pulse is not None:
            self.pulse()
        self._remember(self._ask())
        return self.found

    def _remember(self, seen: Stop | None) -> None:
        """Sticky, but a harder stop replaces a softer one: a KILL file or a second signal must not wait out a grace."""
        if seen is not None and (self.found is None or seen.grace < self.found.grace):
            self.found = seen

    def _ask(self) -> Stop | None:
        asked = [self._signal(), *map(self._file, self.files), *(one() for one in self.extra)]
        return min((stop for stop in asked if stop is not None), key=lambda stop: stop.grace, default=None)

    def _signal(self) -> Stop | None:
        if self.signals is None or not self.signals.received:
            return None
        first = self.signals.received[0].name
        return Stop(StopReason.SIGNAL, first, _EXIT_OF_SIGNAL[first], 1.5 if self.heard == 1 else 0.0)

    def _file(self, file: StopFile) -> Stop | None:
        words = said(file.path)
        if words is None or (file.honours_after_cycle and _first_line(words) == AFTER_CYCLE):
            return None
        return _stop(file, words)

    def after_cycle(self) -> Stop | None:
        for file in self.files:
            if file.honours_after_cycle and (words := said(file.path)) is not None and _first_line(words) == AFTER_CYCLE:
                return _stop(file, words)
        return None


class StopScope(Scope):
    """The scope of a session, and by `within` and `closing` of every call in it.

    `pulse` is called on the rhythm of `poll` whenever someone asks or waits (the journal's heartbeat). `extra`: further
    questions on the same rhythm (budgets). `wakes`: descriptors that become readable when a signal arrived; a loop that
    sleeps elsewhere watches them too.
    """

    def __init__(
        self,
        clock: Clock,
        stop_files: Sequence[StopFile] = (),
        signals: Signals | None = None,
        pulse: Callable[[], None] | None = None,
        poll: float = 0.2,
        extra: Sequence[Callable[[], Stop | None]] = (),
    ) -> None:
        self.clock = clock
        self._watch = _Watch(clock, stop_files, signals, pulse, poll, extra)
        self._until: Instant | None = None
        self._closing = False

    @property
    def wakes(self) -> tuple[int, ...]:
        signals = self._watch.signals
        return () if signals is None or signals.fd < 0 else (signals.fd,)

    def stopped(self) -> Stop | None:
        now = self.clock.now()
        found = self._watch.look(now)
        if self._closing:
            found = found if self._watch.heard >= 2 else None
        if found is None and self._until is not None and now.mono >= self._until.mono:
            return Stop(StopReason.DEADLINE, "its time is over")
        return found

    def after_cycle(self) -> Stop | None:
        """Asked by the supervisor between cycles: a stop file that lets the running cycle end first."""
        return self._watch.after_cycle()

    def wait(self, until: Instant, *fds: int) -> Stop | None:
        poller = select.poll()
        for fd in {*fds, *self.wakes}:
            poller.register(fd, select.POLLIN)
        while (stop := self.stopped()) is None and (left := until.mono - self.clock.now().mono) > 0:
            if self._until is not None:
                left = min(left, self._until.mono - self.clock.now().mono)
            ready = poller.poll(max(0.0, min(left, self._watch.poll)) * 1000)
            if any(fd in fds for fd, _ in ready):
                return self.stopped()
        return stop

    def within(self, seconds: float) -> StopScope:
        until = self.clock.now().plus(seconds)
        return self._child(until if self._until is None or until.mono < self._until.mono else self._until, self._closing)

    def closing(self) -> StopScope:
        return self._child(None, True)

    def _child(self, until: Instant | None, closing: bool) -> StopScope:
        child = StopScope.__new__(StopScope)
        child.clock, child._watch, child._until, child._closing = self.clock, self._watch, until, closing
        return child


def said(path: str) -> str | None:
    """The printable start of what stands at a path; empty for what cannot be read, None when nothing is there.

    `lstat`, not `exists`: a dangling link and a folder count as well (loop-peers C2-5). Never blocks, also on a pipe.
    """
    try:
        os.lstat(path)
    except OSError:
        return None  # also when a folder above may not be searched: another user's home must not mean "stopped for ever"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        raw = os.read(fd, _SHOWN) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(fd)
    return "".join(char if char.isprintable() or char == "\n" else " " for char in raw.decode("utf-8", "replace"))


def _first_line(words: str) -> str:
    return words.partition("\n")[0].strip()


def _stop(file: StopFile, words: str) -> Stop:
    shown = " ".join(words.split())
    return Stop(StopReason.KILL_SWITCH, f"{file.path}: {shown}" if shown else file.path, ExitCode.PLANNED, file.grace)
