"""Gate commands as a check of a cycle: each one runs, and says pass, fail, nothing ran, or that it could not work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Purpose, Start
from agentops.core.processes import Ended, Exit, Host, Limits
from agentops.core.stops import Scope
from agentops.gate.systems import Detected, GateCommand, detect, survey
from agentops.host.faults import fault

__all__ = ["CommandsCheck", "Detected", "GateCommand", "Ran", "Said", "detect", "run_commands", "survey"]

LIMIT = 20 * 60.0
_CANNOT_RUN = frozenset({126, 127})
_KILLED_CODE = 128 + 9
_LAST_WORDS = 400


class Said(StrEnum):
    """What a command says. ERROR is no word about the work: it took too long, was killed, or its tool is missing."""

    PASS = "pass"
    FAIL = "fail"
    NOTHING_RAN = "nothing_ran"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Ran:
    """One command, run once. `why`: its last words, or what kept it from its work."""

    command: GateCommand
    said: Said
    why: str
    exit: Exit


_FINDING = {
    Said.PASS: FindingKind.RAN,
    Said.FAIL: FindingKind.COMMAND,
    Said.NOTHING_RAN: FindingKind.NOTE,
    Said.ERROR: FindingKind.GATE_ERROR,
}


class CommandsCheck:
    """The gate commands, in order. Their set is fixed when the session starts: a cycle can't detect itself a softer gate."""

    name = "commands"

    def __init__(self, commands: Sequence[GateCommand], host: Host, limit: float = LIMIT) -> None:
        self._commands = tuple(commands)
        self._host = host
        self._limit = limit

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        ran = run_commands(self._commands, place, self._host, scope, self._limit)
        return [Finding(_FINDING[one.said], str(one.command.number), f"{one.command.title}: {one.why}") for one in ran]

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        asked = [command for command in self._commands if str(command.number) in subjects]
        ran = run_commands(asked, place, self._host, scope, self._limit)
        said = {str(one.command.number): one.said for one in ran}
        return Again(
            failing=frozenset(number for number, word in said.items() if word is Said.FAIL),
            unclear=frozenset(number for number, word in said.items() if word is Said.ERROR),
        )


def run_commands(
    commands: Iterable[GateCommand], place: Place, host: Host, scope: Scope, limit: float = LIMIT
) -> tuple[Ran, ...]:
    """Run them one after the other, all of them, `limit` seconds each. After a stop the rest are errors that did not run."""
    return tuple(_each(commands, place, host, scope, limit))


def _each(commands: Iterable[GateCommand], place: Place, host: Host, scope: Scope, limit: float) -> Iterator[Ran]:
    for command in commands:
        if (stop := scope.stopped()) is not None:
            ended = Exit(Ended.KILLED, None, stop=stop)
        else:
            fault("gate.command.before")
            spec = place.spec(command.argv, Purpose.CHECK, env=dict(command.env), limits=Limits(total=limit), merged=True)
            ended = host.run(spec, scope)
        said, why = judged(command, ended)
        yield Ran(command, said, why, ended)


def judged(command: GateCommand, ended: Exit) -> tuple[Said, str]:
    """What the end of a command means. Pure."""
    if ended.stop is not None:
        return Said.ERROR, f"stopped ({ended.stop.detail or ended.stop.reason})"
    if ended.ended is Ended.TIMEOUT:
        return Said.ERROR, f"not done after {ended.seconds:.0f} s"
    if ended.ended is Ended.SPAWN_ERROR:
        return Said.ERROR, f"it did not start: {ended.error}"
    if ended.code == 0:
        return Said.PASS, f"passed in {ended.seconds:.1f} s"
    words = last_words(ended)
    if ended.code in command.nothing_ran:
        return Said.NOTHING_RAN, "there was nothing to run"
    if ended.code == _KILLED_CODE or ended.signal == 9:
        # Seventeen of ninety red gates in one report were for want of memory (loop-peers B-G5).
        return Said.ERROR, f"it was killed, most likely for want of memory: {words}"
    if ended.code in _CANNOT_RUN:
        return Said.ERROR, f"its tool could not be run: {words}"
    return Said.FAIL, f"{_code(ended)}: {words}"


def last_words(ended: Exit) -> str:
    """The end of what was printed, as one line of at most 400 characters: there test runners put their summary."""
    end = (ended.out_tail or ended.out)[-8 * _LAST_WORDS :].decode("utf-8", "replace")
    lines = [line.strip() for line in end.splitlines() if line.strip()]
    return " · ".join(lines[-3:])[-_LAST_WORDS:] or "(it printed nothing)"


def _code(ended: Exit) -> str:
    return f"ended with {ended.code}" if ended.code is not None else f"ended by signal {ended.signal}"
