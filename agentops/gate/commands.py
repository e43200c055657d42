"""Gate commands as a check of a cycle: each one runs, and says pass, fail, nothing ran, or that it could not work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agentops.core.judging import Again, Finding, FindingKind
from agentops.core.places import Effect, Place, Purpose, Start
from agentops.core.processes import Ended, Exit, Host, Limits
from agentops.core.stops import Scope
from agentops.gate.systems import GateCommand
from agentops.host.faults import fault

LIMIT = 20 * 60.0
_LAST_WORDS = 400


class Answer(StrEnum):
    """What a command says. ERROR is no word about the work: it took too long, was killed, or its tool is missing."""

    PASS = "pass"
    FAIL = "fail"
    NOTHING_RAN = "nothing_ran"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Answered:
    """One command, run once. `why`: its last words, or what kept it from its work."""

    command: GateCommand
    answer: Answer
    why: str
    exit: Exit


_FINDING = {
    Answer.PASS: FindingKind.RAN,
    Answer.FAIL: FindingKind.COMMAND,
    Answer.NOTHING_RAN: FindingKind.NOTE,
    Answer.ERROR: FindingKind.GATE_ERROR,
}


class CommandsCheck:
    """The gate commands, in order. Their set is fixed when the session starts: a cycle can't detect itself a softer gate."""

    name = "commands"

    def __init__(
        self,
        commands: Sequence[GateCommand],
        host: Host,
        limit: float = LIMIT,
        ran: Callable[[str, float], None] | None = None,
        network: bool = True,
    ) -> None:
        """`ran` is told the title and the seconds of each command that came to an answer of its own."""
        self._commands = tuple(commands)
        self._host = host
        self._limit = limit
        self._ran = ran
        self._network = network

    def findings(self, start: Start, effect: Effect, place: Place, scope: Scope) -> Iterable[Finding]:
        ran = run_commands(self._commands, place, self._host, scope, self._limit, self._network)
        for one in ran:
            if self._ran is not None and one.answer in (Answer.PASS, Answer.FAIL):
                self._ran(one.command.title, one.exit.seconds)
        return [Finding(_FINDING[one.answer], str(one.command.number), f"{one.command.title}: {one.why}") for one in ran]

    def again(self, subjects: frozenset[str], place: Place, scope: Scope) -> Again:
        asked = [command for command in self._commands if str(command.number) in subjects]
        ran = run_commands(asked, place, self._host, scope, self._limit, self._network)
        answers = {str(one.command.number): one.answer for one in ran}
        return Again(
            failing=frozenset(number for number, answer in answers.items() if answer is Answer.FAIL),
            unclear=frozenset(number for number, answer in answers.items() if answer is Answer.ERROR),
        )


def run_commands(
    commands: Iterable[GateCommand], place: Place, host: Host, scope: Scope, limit: float = LIMIT, network: bool = True
) -> tuple[Answered, ...]:
    """Run them one after the other, all of them, `limit` seconds each. After a stop the rest are errors that did not run."""
    return tuple(_each(commands, place, host, scope, limit, network))


def _each(
    commands: Iterable[GateCommand], place: Place, host: Host, scope: Scope, limit: float, network: bool
) -> Iterator[Answered]:
    for command in commands:
        if (stop := scope.stopped()) is not None:
            ended = Exit(Ended.KILLED, None, stop=stop)
        else:
            fault("gate.command.before")
            spec = place.spec(command.argv, Purpose.CHECK, env=dict(command.env), limits=Limits(total=limit), merged=True)
            ended = host.run(spec if network else replace(spec, mounts=replace(spec.mounts, network=False)), scope)
        answer, why = answer_of(command, ended)
        yield Answered(command, answer, why, ended)


def answer_of(command: GateCommand, ended: Exit) -> tuple[Answer, str]:
    """What the end of a command means. Pure."""
    if ended.stop is not None:
        return Answer.ERROR, f"stopped ({ended.stop.detail or ended.stop.reason})"
    if ended.ended is Ended.TIMEOUT:
        return Answer.ERROR, f"not done after {ended.seconds:.0f} s"
    if ended.ended is Ended.SPAWN_ERROR:
        return Answer.ERROR, f"it did not start: {ended.error}"
    if ended.code == 0:
        return Answer.PASS, f"passed in {ended.seconds:.1f} s"
    words = last_words(ended)
    if ended.code in command.nothing_ran:
        return Answer.NOTHING_RAN, "there was nothing to run"
    if ended.killed:
        # Seventeen of ninety red gates in one report were for want of memory (loop-peers B-G5).
        return Answer.ERROR, f"it was killed, most likely for want of memory: {words}"
    if ended.cannot_run:
        return Answer.ERROR, f"its tool could not be run: {words}"
    return Answer.FAIL, f"{_code(ended)}: {words}"


def last_words(ended: Exit) -> str:
    """The end of what was printed, as one line of at most 400 characters: there test runners put their summary."""
    end = (ended.out_tail or ended.out)[-8 * _LAST_WORDS :].decode("utf-8", "replace")
    lines = [line.strip() for line in end.splitlines() if line.strip()]
    return " · ".join(lines[-3:])[-_LAST_WORDS:] or "(it printed nothing)"


def _code(ended: Exit) -> str:
    return f"ended with {ended.code}" if ended.code is not None else f"ended by signal {ended.signal}"
