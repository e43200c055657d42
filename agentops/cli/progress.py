"""Who waits for a measurement sees how far it is: one calm line at a terminal, a line now and then in a pipe, never in JSON."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentops.cli.voice import Voice, standard_error
from agentops.core.clock import Clock

if TYPE_CHECKING:
    from agentops.core.fitness import Goal, GoalResult
    from agentops.goals.checks import Watch

AT_A_TERMINAL = 0.2
IN_A_PIPE = 30.0
"""Seconds between two lines; the first one in a pipe comes after a third of it, so that what is quick says nothing."""


@contextmanager
def watching(*, quiet: bool = False) -> Iterator[Watch]:
    """A watch for `measure` that tells on stderr how far it is; `quiet` for `--json`. The line is gone at the end."""
    from agentops.goals.checks import Watch
    from agentops.host.clock import SystemClock

    if quiet:
        yield Watch()
        return
    told = _Told(standard_error(), SystemClock())
    try:
        yield Watch(began=told.began, started=told.started, ended=told.ended, tick=told.tick)
    finally:
        told.clear()


class _Told:
    """What was heard of a measurement, and when it was last told."""

    def __init__(self, voice: Voice, clock: Clock) -> None:
        self._voice, self._clock = voice, clock
        self._every = AT_A_TERMINAL if voice.is_terminal else IN_A_PIPE
        self._next = clock.now().mono + (self._every if voice.is_terminal else self._every / 3)
        self._total = self._done = self._failing = 0
        self._running: dict[str, float] = {}
        self._drawn = False

    def began(self, total: int) -> None:
        self._total += total

    def started(self, goal: Goal) -> None:
        self._running[goal.id] = self._clock.now().mono

    def ended(self, result: GoalResult, _: object) -> None:
        self._running.pop(result.goal_id, None)
        self._done += 1
        self._failing += result.failing
        self.tick()

    def tick(self) -> None:
        now = self._clock.now().mono
        if now < self._next:
            return
        from agentops.views.progress import Progress, line

        self._next = now + self._every
        since = sorted(((goal, now - at) for goal, at in self._running.items()), key=lambda one: -one[1])
        seen = Progress(self._done, self._total, self._failing, since)
        if not self._voice.is_terminal:
            self._voice.line(line(seen))
            return
        self._drawn = True
        self._voice.write(f"\r\x1b[K{line(seen, shutil.get_terminal_size().columns - 1)}")

    def clear(self) -> None:
        if self._drawn:
            self._voice.write("\r\x1b[K")
