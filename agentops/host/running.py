"""One process that was started, from its first byte to the proof that its whole tree is gone.

A state machine without a loop of its own: the launcher hands it readable descriptors and the time.
"""

from __future__ import annotations

import os
import resource
import select
import selectors
import signal
from collections.abc import Callable

import msgspec

from agentops.core import wire
from agentops.core.clock import Clock, Instant
from agentops.core.processes import Ended, Exit, OnLine, SandboxLevel, Spec
from agentops.core.stops import Stop
from agentops.host import survivors, trees
from agentops.host.endings import end_of
from agentops.host.faults import fault
from agentops.host.idle import Idle
from agentops.host.spawn import TREE, Spawned
from agentops.host.streams import Lines, Ring

GRACE = 1.5
"""Seconds between the polite signal and the kill when a limit ended a run; 0.1 was too short for agents (loop-peers B-O2)."""

_GONE = 3.0
"""Seconds that a killed tree gets to disappear before what is left is counted as survivors."""

_TRACED_MS = 1000
"""How long a tracer may keep an ended process from us."""

_BUFFER = memoryview(bytearray(1 << 20))
_STDIN_BLOCK = 1 << 16


class Running:
    """A started process. `turn` applies limits and stops; `done` says when `exit` may be asked, once."""

    def __init__(
        self,
        spec: Spec,
        spawned: Spawned,
        level: SandboxLevel,
        clock: Clock,
        loop: selectors.BaseSelector,
        on_line: OnLine | None,
    ) -> None:
        self._spec, self._spawned, self._level, self._clock, self._loop = spec, spawned, level, clock, loop
        self._process = spawned.process
        self._began: Instant = clock.now()
        limits = spec.limits
        self._out, self._err = Ring(limits.head, limits.tail), Ring(limits.head, limits.tail)
        self._lines = None if on_line is None else Lines(on_line)
        self._idle = None if limits.idle is None else Idle(limits.idle, self._began.mono)
        self._open: set[int] = set()
        self._streams = 0
        self._printed = False
        self._stdin = memoryview(spec.stdin)
        self._holder, self._holder_fd = 0, -1
        self._said = b""
        self._facts: dict[str, object] = {}
        self._ending: Ended | None = None
        self._stop: Stop | None = None
        self._kill_at = self._gone_by = float("inf")
        self._killed = False
        self._status: int | None = None
        self._reaped = False
        self._exited_at: float | None = None
        self._cpu = 0.0
        self._attach()

    # What the loop asks.

    @property
    def pid(self) -> int:
        """The process that we started: the root of its tree."""
        return self._process.pid

    @property
    def began(self) -> float:
        """The `mono` time of its start."""
        return self._began.mono

    @property
    def done(self) -> bool:
        now = self._clock.now().mono
        if self._exited_at is None:
            return now >= self._gone_by
        drained = self._streams == 0 or now >= self._exited_at + self._spec.limits.drain
        return drained and (self._holder_fd < 0 or now >= self._gone_by)

    def next_turn(self) -> float:
        """The `mono` time at which `turn` or `done` has something to decide."""
        if self._exited_at is not None:
            drained = self._exited_at + self._spec.limits.drain if self._streams else 0.0
            return max(drained, self._gone_by if self._holder_fd >= 0 else 0.0)
        limits = self._spec.limits
        limit = float("inf") if limits.total is None or self._ending is not None else self._began.mono + limits.total
        if limits.start is not None and not self._printed and self._ending is None:
            limit = min(limit, self._began.mono + limits.start)
        return min(limit, self._gone_by, float("inf") if self._killed else self._kill_at)

    def turn(self, now: float, stop: Stop | None) -> None:
        if self._exited_at is not None:
            return
        if stop is not None and self._ending is not None:
            self._kill_at = min(self._kill_at, now + stop.grace)  # a second signal or a KILL file shortens the grace
        elif stop is not None:
            self._stop = stop
            self._end(Ended.KILLED, stop.grace, now)
        elif self._ending is None:
            self._apply_limits(now)
        if self._ending is not None and not self._killed and now >= self._kill_at:
            self._kill(now)

    def abandon(self) -> None:
        """Kill the tree at once and wait until it is gone: the caller has gone away or failed."""
        self._lines = None
        if self._exited_at is None:
            self._ending = self._ending or Ended.KILLED
            self._kill_tree(self._clock.now().mono)
            self._until_readable(self._spawned.pidfd)
            self._main_exited()
        self.exit()

    # What the loop reports.

    def _attach(self) -> None:
        process = self._process
        self._watch(self._spawned.pidfd, selectors.EVENT_READ, self._main_exited)
        for pipe, ring, lines in ((process.stdout, self._out, self._lines), (process.stderr, self._err, None)):
            if pipe is not None:
                self._streams += 1
                self._watch(pipe.fileno(), selectors.EVENT_READ, _reader(self, pipe.fileno(), ring, lines))
        if self._spawned.status >= 0:
            self._watch(self._spawned.status, selectors.EVENT_READ, self._read_status)
        if process.stdin is not None:
            self._watch(process.stdin.fileno(), selectors.EVENT_WRITE, self._feed)

    def _feed(self) -> None:
        assert self._process.stdin is not None
        fd = self._process.stdin.fileno()
        try:
            self._stdin = self._stdin[os.write(fd, self._stdin[:_STDIN_BLOCK]) :]
        except BlockingIOError:
            return
        except OSError:  # it closed its end without reading all: its own business
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._unwatch(fd)
            self._process.stdin.close()

    def read(self, fd: int, ring: Ring, lines: Lines | None) -> None:
        try:
            size = os.readv(fd, [_BUFFER])
        except BlockingIOError:
            return
        except OSError:
            size = 0
        if size == 0:
            self._unwatch(fd)
            self._streams -= 1
            if lines is not None:
                lines.end()
            return
        self._printed = True
        if self._idle is not None:
            self._idle.output(self._clock.now().mono)
        ring.feed(_BUFFER[:size])
        if lines is not None:
            lines.feed(_BUFFER[:size])

    def _read_status(self) -> None:
        """The lines of the sandbox about itself; the first one names the process that holds the tree."""
        fd = self._spawned.status
        if fd not in self._open:
            return
        try:
            while block := os.read(fd, 4096):
                self._said += block
        except BlockingIOError:
            pass
        else:
            self._unwatch(fd)
        *whole, self._said = self._said.split(b"\n")
        for line in whole:
            try:
                self._facts.update(wire.parse(line))
            except (msgspec.DecodeError, TypeError, ValueError):
                continue
        if self._holder == 0 and "child-pid" in self._facts:
            self._hold()

    def _hold(self) -> None:
        """Watch the process whose end is the end of the tree. The shim cannot know its outer id in a namespace."""
        if self._level is SandboxLevel.GROUP:
            self._holder = self._process.pid  # watched as the main process already
            return
        if self._level is SandboxLevel.UNSHARE:
            below = [one for one in trees.descendants(self._process.pid, dead=True) if one.parent == self._process.pid]
            self._holder = below[0].pid if below else 0
        else:
            named = self._facts["child-pid"]
            self._holder = named if isinstance(named, int) else 0
        if self._holder == 0:
            return
        try:
            self._holder_fd = os.pidfd_open(self._holder)
        except OSError:
            return  # gone already, and its namespace with it
        self._watch(self._holder_fd, selectors.EVENT_READ, self._holder_gone)

    def _holder_gone(self) -> None:
        self._unwatch(self._holder_fd)
        os.close(self._holder_fd)
        self._holder_fd = -1

    def _main_exited(self) -> None:
        self._read_status()
        if self._spawned.pidfd in self._open:
            self._unwatch(self._spawned.pidfd)
        now = self._clock.now().mono
        try:
            pid, status, used = self._reap()
        except ChildProcessError:
            self._process.returncode = 0  # someone else in this process has waited for it: its status is lost
        else:
            if pid == 0:
                self._exited_at, self._gone_by = now, now  # it cannot even be killed: counted as a survivor
                return
            self._process.returncode = self._status = os.waitstatus_to_exitcode(status)
            self._cpu += used.ru_utime + used.ru_stime
        self._reaped = True
        self._exited_at, self._gone_by = now, now + _GONE
        self._kill_holder()

    def _reap(self) -> tuple[int, int, resource.struct_rusage]:
        """The ended main process; id 0 while it lives. A tracer (`strace -f`, a debugger) sees the end before its parent may."""
        poller = select.poll()
        poller.register(self._spawned.pidfd, select.POLLIN)
        for _ in range(_TRACED_MS):
            found = os.wait4(self._process.pid, os.WNOHANG)
            if found[0] or not poller.poll(0):
                break
            select.select((), (), (), 0.001)
        return found

    # How it ends.

    def _apply_limits(self, now: float) -> None:
        limits = self._spec.limits
        if limits.total is not None and now >= self._began.mono + limits.total:
            self._end(Ended.TIMEOUT, GRACE, now)
        elif self._mute(now) or (self._idle is not None and self._idle.stalled(now, self._holder or self._process.pid)):
            self._end(Ended.STALLED, GRACE, now)

    def _mute(self, now: float) -> bool:
        start = self._spec.limits.start
        return start is not None and not self._printed and now >= self._began.mono + start

    def _end(self, ended: Ended, grace: float, now: float) -> None:
        self._ending = ended
        self._kill_at = now + grace
        if grace <= 0:
            self._kill(now)
            return
        fault("launcher.end.before")
        if self._level is SandboxLevel.OFF:
            self._signal_group(signal.SIGTERM)
            return
        self._read_status()
        # bubblewrap passes no signal on: everyone inside gets it, the process that holds the tree does not.
        inside = self._holder or self._process.pid
        trees.signal_all(trees.descendants(inside), signal.SIGTERM)

    def _kill(self, now: float) -> None:
        fault("launcher.kill.before")
        self._kill_tree(now)

    def _kill_tree(self, now: float) -> None:
        self._killed, self._gone_by = True, now + _GONE
        if self._level is SandboxLevel.OFF:
            self._signal_group(signal.SIGKILL)
            return
        self._read_status()
        if self._level is SandboxLevel.GROUP:
            self._cut_lifeline()  # the shim ends all of its own; we help, in case it is stopped or starved
            trees.kill_below(self._process.pid, rounds=3)
        elif self._level is SandboxLevel.UNSHARE and self._holder_fd >= 0:
            self._process.send_signal(signal.SIGKILL)  # takes its child along; told of the child's end it would only grumble
        elif self._holder_fd >= 0:
            self._kill_holder()
        else:
            self._cut_lifeline()
            trees.kill_below(self._process.pid)
            self._signal_group(signal.SIGKILL)

    def _kill_holder(self) -> None:
        """SIGKILL to the first process of a namespace ends all of it."""
        if self._holder_fd >= 0:
            try:
                signal.pidfd_send_signal(self._holder_fd, signal.SIGKILL)
            except OSError:
                return  # gone

    def _signal_group(self, number: signal.Signals) -> None:
        """To the main process and its group; it leads its own session, and is not reaped yet, so that the id is its own."""
        try:
            os.killpg(self._process.pid, number)
        except OSError:
            self._process.send_signal(number)

    def _cut_lifeline(self) -> None:
        if self._spawned.lifeline >= 0:
            os.close(self._spawned.lifeline)
            self._spawned.lifeline = -1

    def exit(self) -> Exit:
        """Close everything and say how it ended."""
        lines, self._lines = self._lines, None
        if lines is not None and self._streams:
            lines.end()
        for fd in tuple(self._open):
            self._unwatch(fd)
        left = self._left_over()
        self._take_in_holder()
        self._cut_lifeline()
        for fd in (self._spawned.pidfd, self._spawned.status, self._holder_fd):
            if fd >= 0:
                os.close(fd)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        printed = self._out.head if self._spec.merged else self._err.head
        code, by, ended, error = end_of(self._spec, self._level, self._status, self._ending, self._facts, printed)
        return Exit(
            ended,
            code,
            by,
            self._out.head,
            self._out.tail,
            self._err.head,
            self._err.tail,
            self._out.dropped + self._err.dropped,
            self._clock.now().mono - self._began.mono,
            self._cpu,
            left,
            self._level,
            error,
            self._stop,
        )

    def _left_over(self) -> int:
        """What of the tree still lives, after a last attempt to end it."""
        if self._level is SandboxLevel.OFF:
            return 0 if self._reaped else 1
        if self._holder_fd >= 0:
            self._until_readable(self._holder_fd)
            return max(1, len(trees.descendants(self._holder))) if self._holder_fd >= 0 else 0
        strays = survivors.marked(self._spawned.tree, TREE) if self._level is SandboxLevel.GROUP else ()
        left = survivors.end(strays, self._clock, 0)
        return max(left, 0 if self._reaped else 1)

    def _take_in_holder(self) -> None:
        """The sandbox often leaves before its namespace's first process does; that one then is ours to reap and count."""
        if self._level not in (SandboxLevel.BWRAP, SandboxLevel.UNSHARE) or self._holder == 0:
            return
        try:
            _, _, used = os.wait4(self._holder, os.WNOHANG)
        except ChildProcessError:
            return  # the sandbox took it in
        self._cpu += used.ru_utime + used.ru_stime

    def _until_readable(self, pidfd: int) -> None:
        poller = select.poll()
        poller.register(pidfd, select.POLLIN)
        left = max(0.0, min(_GONE, self._gone_by - self._clock.now().mono))
        if poller.poll(left * 1000) and pidfd == self._holder_fd:
            self._holder_gone()

    def _watch(self, fd: int, events: int, call: Callable[[], None]) -> None:
        self._loop.register(fd, events, call)
        self._open.add(fd)

    def _unwatch(self, fd: int) -> None:
        if fd in self._open:
            self._open.discard(fd)
            self._loop.unregister(fd)


def _reader(running: Running, fd: int, ring: Ring, lines: Lines | None) -> Callable[[], None]:
    return lambda: running.read(fd, ring, lines)
