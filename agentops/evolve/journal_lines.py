"""What the lines of a journal add up to: the session, its outcomes, and the cycle that was cut off. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from agentops.core.agents import Usage
from agentops.core.fitness import Fitness
from agentops.core.journals import InFlight, Step
from agentops.core.judging import Result, Verdict
from agentops.core.places import Effect, Settled, Start
from agentops.core.wire import record
from agentops.core.work import Attempt, WorkItem
from agentops.evolve.outcomes import IDLE, Outcome


@dataclass(frozen=True, slots=True)
class JournalState:
    """`last_cycle`: the highest number whose verdict was reached. `ended`: the session was closed cleanly.

    `runs`: every run that may have left survivors. `bad_lines`: lines that could not be read and were passed over.
    `woken`: targets that a person's change woke from their rest, with the cycle since when they count afresh.
    `used`: what its ended cycles cost; not read from the ledger, which an agent can rewrite.
    `contested`: what the last cycle left to a person, as long as its session has not ended over it.
    """

    session: str | None = None
    session_head: str = ""
    ended: bool = True
    runs: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    worked: float = 0.0
    beat: float = 0.0
    last_cycle: int = 0
    open: InFlight | None = None
    woken: Mapping[str, int] = field(default_factory=dict)
    contested: frozenset[str] = frozenset()
    used: Usage = field(default_factory=Usage)
    bad_lines: int = 0

    @property
    def spent(self) -> Usage:
        """With what is known of the cycle that was cut off: a session that goes on has not got its money back."""
        flight = self.open
        if flight is None or flight.attempt is None or flight.asked:
            return self.used
        return self.used.plus(flight.attempt.usage)


def add_up(lines: Iterable[Mapping[str, Any] | None]) -> JournalState:
    """Fold the journal; None stands for a line that could not be read."""
    state = JournalState()
    for line in lines:
        try:
            state = _add(state, line) if line is not None else replace(state, bad_lines=state.bad_lines + 1)
        except (msgspec.ValidationError, KeyError, ValueError, TypeError):
            state = replace(state, bad_lines=state.bad_lines + 1)
    return state


def _add(state: JournalState, line: Mapping[str, Any]) -> JournalState:
    step = Step(line["step"])
    wall = float(line["wall"])
    state = replace(state, beat=max(state.beat, wall), worked=max(state.worked, float(line.get("worked", 0.0))))
    match step:
        case Step.SESSION:
            last = max(state.last_cycle, int(line.get("last_cycle", 0)))
            return JournalState(
                session=str(line["session"]),
                session_head=str(line.get("head", "")),
                ended=False,
                beat=wall,
                last_cycle=last,
                open=state.open if state.open is not None and state.open.asked else None,  # a question outlives its session
                bad_lines=state.bad_lines,
            )
        case Step.RUN:
            return replace(state, runs=(*state.runs, str(line["run"])))
        case Step.BEAT:
            return state
        case Step.CLOSED:
            return replace(state, ended=True, contested=frozenset())
        case Step.WOKEN:
            return replace(state, woken={**state.woken, **dict.fromkeys(map(str, line["targets"]), int(line["cycle"]))})
        case Step.OPENED:
            return replace(state, open=_opened(line, wall), contested=frozenset())
    if step is Step.CLEARED and state.open is None and _without_work(line):
        return _closed(state, step, line)
    if state.open is None or int(line["cycle"]) != state.open.cycle:
        return state
    if step in (Step.CLEARED, Step.DECLINED):
        return _closed(state, step, line)
    flight = _advance(replace(state.open, step=step, beat=state.beat), step, line)
    last = max(state.last_cycle, flight.cycle) if step is Step.VERDICT else state.last_cycle
    return replace(state, open=flight, last_cycle=last)


def _without_work(line: Mapping[str, Any]) -> bool:
    """A number that was used without any work: an empty pass, or a target that went into quarantine."""
    return line.get("target") == IDLE or line.get("result") == Result.QUARANTINED


def _opened(line: Mapping[str, Any], wall: float) -> InFlight:
    return InFlight(
        cycle=int(line["cycle"]),
        run=str(line["run"]),
        step=Step.OPENED,
        item=record(WorkItem, line["item"]),
        beat=wall,
        agent=str(line.get("agent", "")),
    )


def _advance(flight: InFlight, step: Step, line: Mapping[str, Any]) -> InFlight:
    match step:
        case Step.CLAIMED:
            return replace(flight, token=str(line["token"]))
        case Step.STARTED:
            before = record(Fitness, line["before"]) if line.get("before") else flight.before
            return replace(flight, start=record(Start, line["start"]), before=before)
        case Step.PARKED | Step.ENDED:
            attempt, effect = record(Attempt, line["attempt"]), record(Effect, line["effect"])
            return replace(flight, attempt=attempt, effect=effect, new_items=int(line.get("new_items", 0)))
        case Step.VERDICT:
            return replace(
                flight,
                verdict=record(Verdict, line["verdict"]),
                effect=record(Effect, line["effect"]),
                attempt=record(Attempt, line["attempt"]),
                passing=line.get("passing"),
                total=line.get("total"),
                seconds=float(line.get("seconds", 0.0)),
            )
        case Step.TREE:
            return replace(flight, settled=record(Settled, line["settled"]))
        case Step.LEDGER:
            return replace(flight, log_sha=line.get("sha"))
        case Step.ASKED:
            later, moved = tuple(map(str, line.get("paths", ()))), tuple(map(str, line.get("moved", ())))
            return replace(flight, asked=True, later=later, moved=moved)
        case _:
            return flight


def _closed(state: JournalState, step: Step, line: Mapping[str, Any]) -> JournalState:
    if step is Step.DECLINED or "result" not in line:
        return replace(state, open=None)
    settled = state.open.settled if state.open is not None else None
    outcome = Outcome(
        cycle=int(line["cycle"]),
        target=str(line["target"]),
        result=Result(line["result"]),
        reason=str(line["reason"]),
        worked=float(line.get("worked", 0.0)),
    )
    last = max(state.last_cycle, outcome.cycle)
    contested = settled.contested if settled is not None else frozenset[str]()
    used = state.used.plus(record(Usage, line["used"])) if line.get("used") else state.used
    return replace(state, open=None, outcomes=(*state.outcomes, outcome), last_cycle=last, contested=contested, used=used)
