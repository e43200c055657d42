"""The one launcher: a single-threaded loop over pipes, process ends, deadlines and stops.

No threads: the kernel ties "die with your parent" to the thread that started a child (design-review E13).
"""

from __future__ import annotations

import selectors
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing

from agentops.core.clock import Clock
from agentops.core.processes import Ended, Exit, Host, OnLine, SandboxLevel, Slots, Spec
from agentops.core.stops import Scope
from agentops.host import sandbox
from agentops.host.faults import fault
from agentops.host.running import Running
from agentops.host.slots import Room
from agentops.host.spawn import spawn

POLL = 0.2
"""Seconds after which stop files, budgets and signs of life are looked at again."""


class Launcher(Host):
    """Runs processes and proves their trees gone. `level` None: the strongest that works here, found at the first need.

    A run ends with its main process; output is then read for at most `limits.drain` seconds, since a grandchild may hold
    the pipe for ever (loop-peers B-H12). What a scope's stop or a limit ends gets SIGTERM, its grace, then SIGKILL.
    A failure to start is an `Exit` with `SPAWN_ERROR`, never an exception.
    """

    def __init__(self, clock: Clock, level: SandboxLevel | None = None) -> None:
        self._clock = clock
        self._level = level

    @property
    def level(self) -> SandboxLevel:
        if self._level is None:
            self._level = sandbox.strongest()
        return self._level

    def run(self, spec: Spec, scope: Scope, on_line: OnLine | None = None) -> Exit:
        """Run one process to its end. When the scope has stopped already nothing is started and the exit says so."""
        with closing(self._drive(iter((spec,)), scope, 1, on_line)) as ended:
            for _, exit_ in ended:
                return exit_
        stop = scope.stopped()
        why = f"not started: told to stop ({stop.detail})" if stop is not None else "not started: told to stop"
        return Exit(Ended.KILLED, None, level=self._level_of(spec), error=why, stop=stop)

    def run_all(self, specs: Iterable[Spec], scope: Scope, slots: Slots) -> Iterator[tuple[int, Exit]]:
        """Run many side by side, as many as `slots` says; (index, exit) as they end.

        After a stop no further one is started, and those that never were are not reported. Closing the iterator ends
        what still runs. Nothing is read or limited while the caller holds on to a result: keep that short.
        """
        return self._drive(iter(specs), scope, slots, None)

    def _level_of(self, spec: Spec) -> SandboxLevel:
        return self.level if spec.contained else SandboxLevel.OFF

    def _drive(
        self, specs: Iterator[Spec], scope: Scope, slots: Slots, on_line: OnLine | None
    ) -> Generator[tuple[int, Exit], None, None]:
        loop = selectors.PollSelector()  # needs no descriptor of its own: it works when there are none left
        for fd in getattr(scope, "wakes", ()):
            loop.register(fd, selectors.EVENT_READ, _woken)
        running: dict[int, Running] = {}
        waiting = enumerate(specs)
        exhausted = False
        room = Room(slots, self._clock)
        try:
            while True:
                stop = scope.stopped()
                while stop is None and not exhausted and room.for_one_more(running):
                    if (following := next(waiting, None)) is None:
                        exhausted = True
                        break
                    index, spec = following
                    if (failed := self._start(index, spec, running, loop, on_line)) is not None:
                        yield index, failed
                if not running:
                    return
                now = self._clock.now().mono
                for one in running.values():
                    one.turn(now, stop)
                until = min(one.next_turn() for one in running.values())
                if stop is None and not exhausted:
                    until = min(until, room.next_look())
                for key, _ in loop.select(max(0.0, min(POLL, until - now))):
                    key.data()
                for index in [index for index, one in running.items() if one.done]:
                    ended = running[index].exit()
                    del running[index]
                    yield index, ended
        finally:
            with ExitStack() as every_one:  # also those after one whose ending fails
                every_one.callback(loop.close)
                for one in running.values():
                    every_one.callback(one.abandon)

    def _start(
        self, index: int, spec: Spec, running: dict[int, Running], loop: selectors.BaseSelector, on_line: OnLine | None
    ) -> Exit | None:
        """Start it into `running`; the exit when that failed."""
        level = self._level_of(spec)
        try:
            spawned = spawn(spec, level)
        except (OSError, ValueError) as error:
            return Exit(Ended.SPAWN_ERROR, None, level=level, error=_why(error))
        running[index] = Running(spec, spawned, level, self._clock, loop, on_line)
        fault("launcher.spawn.after")
        return None


def _woken() -> None:
    """A signal arrived: the next question to the scope finds it."""


def _why(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    named = error.filename
    subject = named if isinstance(named, str) else named.decode("utf-8", "replace") if isinstance(named, bytes) else ""
    return f"{subject}: {error.strerror}" if subject else str(error.strerror or error)
