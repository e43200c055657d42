"""A host without processes: programs are a name, a duration, an output and an end, on the virtual clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agentops.core.processes import Beside, Ended, Exit, OnLine, SandboxLevel, Slots, Spec
from agentops.core.stops import Scope
from tests.twins.time import VirtualClock

TICK = 0.2


@dataclass(frozen=True)
class Program:
    """`seconds` it runs; what it prints at its end; its exit code, or the signal that ends it; whether SIGTERM ends it."""

    seconds: float = 0.0
    prints: bytes = b""
    code: int = 0
    honours_term: bool = True


class TwinHost:
    """Keeps the promises of `Host`: limits, stops with their grace, lines, slots, and spawn errors as results."""

    level = SandboxLevel.OFF

    def __init__(self, clock: VirtualClock, programs: Mapping[str, Program]) -> None:
        self._clock = clock
        self._programs = programs
        self.running = 0
        self.most_at_once = 0

    def run(self, spec: Spec, scope: Scope, on_line: OnLine | None = None) -> Exit:
        program = self._programs.get(spec.argv[0])
        if program is None:
            return Exit(Ended.SPAWN_ERROR, None, error=f"{spec.argv[0]}: no such program")
        began = self._clock.seconds
        ends = began + program.seconds
        limit = None if spec.limits.total is None else began + spec.limits.total
        while self._clock.seconds < ends:
            if (stop := scope.stopped()) is not None:
                self._clock.pass_(0.0 if program.honours_term else stop.grace)
                return Exit(Ended.KILLED, None, signal=15, seconds=self._clock.seconds - began, stop=stop)
            if limit is not None and self._clock.seconds >= limit:
                return Exit(Ended.TIMEOUT, None, signal=15, seconds=self._clock.seconds - began)
            self._clock.pass_(min(TICK, ends - self._clock.seconds))
        return self._ended(program, spec, began, on_line)

    def run_all(self, specs: Iterable[Spec], scope: Scope, slots: Slots) -> Iterator[tuple[int, Exit]]:
        """By turns in virtual time: what runs side by side ends at its own time, the shortest first. Nothing ever computes."""
        waiting: Iterator[tuple[int, Spec]] = enumerate(specs)
        exhausted = False
        running: list[tuple[float, int, Spec]] = []
        began = self._clock.seconds
        starts: dict[int, float] = {}

        def room() -> bool:
            if isinstance(slots, int):
                return len(running) < slots
            return not running or slots([Beside(at, self._clock.seconds - starts[at], 0.0, 0.0) for _, at, _ in running])

        while True:
            while not exhausted and scope.stopped() is None and room():
                if (following := next(waiting, None)) is None:
                    exhausted = True
                    break
                index, spec = following
                program = self._programs.get(spec.argv[0], Program())
                starts[index] = self._clock.seconds
                running.append((self._clock.seconds + program.seconds, index, spec))
                self.most_at_once = max(self.most_at_once, len(running))
            if not running:
                return
            ends, index, spec = min(running)
            running.remove((ends, index, spec))
            stop = scope.stopped()
            if stop is not None:
                exhausted = True  # what never started is not reported
                yield index, Exit(Ended.KILLED, None, stop=stop)
                continue
            self._clock.seconds = max(self._clock.seconds, ends)
            if spec.argv[0] not in self._programs:
                yield index, Exit(Ended.SPAWN_ERROR, None, error=f"{spec.argv[0]}: no such program")
            else:
                yield index, self._ended(self._programs[spec.argv[0]], spec, began, None)

    def _ended(self, program: Program, spec: Spec, began: float, on_line: OnLine | None) -> Exit:
        if on_line is not None:
            for line in program.prints.splitlines():
                on_line(line)
        out = program.prints[: spec.limits.head]
        tail = program.prints[spec.limits.head :][-spec.limits.tail :] if spec.limits.tail else b""
        return Exit(
            Ended.OK if program.code == 0 else Ended.ERROR,
            program.code,
            out=out,
            out_tail=tail,
            dropped=len(program.prints) - len(out) - len(tail),
            seconds=self._clock.seconds - began,
        )
