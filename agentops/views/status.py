"""What runs here, what it is doing, and what waits for a person; from the event log, the ledger and the stop files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentops.core.events import Event
from agentops.evolve.journal import read_state
from agentops.evolve.stop_files import stop_files
from agentops.host.holders import Holder, holder
from agentops.host.scope import said
from agentops.records import rows
from agentops.records.rows import CycleRow
from agentops.views import events
from agentops.views.blocks import Block, clipped
from agentops.views.events import Happened
from agentops.views.history import blocks as history_blocks
from agentops.views.times import duration, local

LAST_ROWS = 5


@dataclass(frozen=True, slots=True)
class StopSeen:
    """A stop file that exists. `since`: when it was made, seconds since the epoch; `text`: what stands in it."""

    path: str
    since: float
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """Times are seconds since the epoch; None and empty text mean *not known* or *not now*.

    `ended`: how the last session ended, when none runs; empty when it was cut off. `question`: what recovery asks.
    """

    running: bool
    holder: Holder | None = None
    session_id: str = ""
    run_id: str = ""
    session_started: float | None = None
    ended: str = ""
    ended_at: float | None = None
    cycle: int | None = None
    target: str = ""
    phase: str = ""
    phase_started: float | None = None
    paused: bool = False
    parked: str = ""
    question: str = ""
    stops: tuple[StopSeen, ...] = ()
    ledger: rows.Tail = field(default_factory=rows.Tail)

    @property
    def rows(self) -> tuple[CycleRow, ...]:
        """The last rows of the ledger."""
        return self.ledger.rows[-LAST_ROWS:]


def look(state: str, agents: str, env: Mapping[str, str]) -> Status:
    """Read it all. `state`: the folder `ao` in the git folder; `agents`: the folder `.agents`. Bounded, and never waits."""
    held = holder(os.path.join(state, "lock"))
    seen = _of_last_run(events.tail(os.path.join(state, "events.jsonl")))
    now = _doing(seen) if held is not None else _Doing()
    run = seen[-1].run if seen else ""
    started = next((one.at for one in seen if one.event in (Event.SESSION_STARTED, Event.SESSION_CONTINUED)), None)
    ended = next((one for one in reversed(seen) if one.event is Event.SESSION_ENDED), None)
    return Status(
        running=held is not None,
        holder=held,
        session_id=run.rpartition(".")[0] or run,
        run_id=run,
        session_started=started,
        ended=(ended.text("stop_reason") or "ended") if ended is not None else "",
        ended_at=seen[-1].at if seen else None,
        cycle=now.cycle,
        target=now.target,
        phase=now.phase,
        phase_started=now.since,
        paused=os.path.lexists(os.path.join(state, "PAUSE")),
        parked=now.parked,
        question=_question(os.path.join(state, "journal.jsonl")) if held is None else "",
        stops=tuple(_stops(agents, env)),
        ledger=_ledger(os.path.join(agents, "evolve", "cycle-history.jsonl")),
    )


def blocks(found: Status, now: float) -> list[Block]:
    """The status for a person: what waits for them first."""
    out: list[Block] = list(_waiting(found, now))
    if out:
        out.append("")
    if found.running:
        out += _running(found, now)
    else:
        out += _resting(found, now)
    if found.rows:
        out += ["", *history_blocks(found.ledger, LAST_ROWS, now)]
    return out


@dataclass(frozen=True, slots=True)
class _Doing:
    """Where the running session is, as its events tell."""

    cycle: int | None = None
    target: str = ""
    phase: str = ""
    since: float | None = None
    parked: str = ""


def _of_last_run(seen: tuple[Happened, ...]) -> tuple[Happened, ...]:
    return tuple(one for one in seen if one.run == seen[-1].run)


def _doing(seen: tuple[Happened, ...]) -> _Doing:
    now = _Doing()
    for one in seen:
        match one.event:
            case Event.CYCLE_STARTED:
                now = _Doing(one.number("cycle"), one.text("target"), "", one.at)
            case Event.CYCLE_ENDED | Event.SESSION_ENDED:
                now = _Doing(since=one.at)
            case Event.PHASE_STARTED:
                now = _Doing(one.number("cycle") or now.cycle, one.text("target") or now.target, one.text("phase"), one.at)
            case Event.PHASE_ENDED:
                now = _Doing(now.cycle, now.target, "", one.at)
            case Event.PARKED:
                now = _Doing(one.number("cycle") or now.cycle, now.target, "", one.at, _until(one))
            case Event.RESUMED:
                now = _Doing(now.cycle, now.target, now.phase, one.at)
            case _:
                pass
    return now


def _until(one: Happened) -> str:
    at = one.seconds("until")
    return f"until {local(at, one.at)}" if at is not None else "until told to go on"


def _waiting(found: Status, now: float) -> Iterator[str]:
    if found.question:
        yield f"! {found.question}"
        yield "    ao recover --show   ·   ao recover --keep   ·   ao recover --take-back"
    for stop in found.stops:
        words = f": {clipped(stop.text, 100)}" if stop.text.strip() else ""
        yield f"! a stop file stands here since {local(stop.since, now)}: {stop.path}{words}"
        yield "    ao stop --clear"
    if found.paused:
        yield "! paused"
        yield "    ao resume"


def _running(found: Status, now: float) -> Iterator[str]:
    held = found.holder
    since = found.session_started or (held.since if held is not None and held.since else None)
    where = f"pid {held.pid} on {held.host}" if held is not None else ""
    yield f"Running: session {found.session_id or '?'} ({where})" + (f", since {local(since, now)}" if since else "")
    elapsed = f" for {duration(now - found.phase_started)}" if found.phase_started is not None else ""
    if found.parked:
        yield f"  cycle {found.cycle or '?'} is parked {found.parked}"
    elif found.cycle is not None:
        yield f"  cycle {found.cycle} on {found.target or '?'}: {found.phase or 'working'}{elapsed}"
    else:
        yield f"  between cycles: measuring or choosing{elapsed}"
    yield "  ao logs -f   ·   ao stop   ·   ao stop --after-cycle   ·   ao pause"


def _resting(found: Status, now: float) -> Iterator[str]:
    if not found.run_id:
        yield "Nothing is running."
    elif found.ended and found.ended_at is not None:
        yield f"Nothing is running. Session {found.session_id} ended {local(found.ended_at, now)} ({found.ended})."
        yield "  ao report   ·   ao history"
    else:
        when = f" after {local(found.ended_at, now)}" if found.ended_at is not None else ""
        yield f"Nothing is running. Session {found.session_id} was cut off{when}; ao evolve goes on with it."


def _question(journal: str) -> str:
    """What recovery asked and nobody has answered yet (evolve.md section 8)."""
    try:
        cut = read_state(journal).open
    except OSError:
        return ""
    if cut is None or not cut.asked:
        return ""
    return f"cycle {cut.cycle} ({clipped(cut.item.title or cut.item.key, 60)}) was cut off, and files were changed after that"


def _stops(agents: str, env: Mapping[str, str]) -> Iterator[StopSeen]:
    for file in stop_files(os.path.dirname(agents), env):
        words = said(file.path)
        if words is not None:
            yield StopSeen(file.path, os.lstat(file.path).st_mtime, words)


def _ledger(path: str) -> rows.Tail:
    try:
        return rows.tail(path)
    except OSError:
        return rows.Tail()
