"""One line of text for each event: what `ao logs` prints."""

from __future__ import annotations

import time

from agentops.core.events import Event
from agentops.views.blocks import clipped
from agentops.views.events import Happened
from agentops.views.times import duration

_WIDTH = 200


def line(one: Happened) -> str | None:
    """`23:04:05  cycle 3 started: tests-green`; None for events that tell a person nothing."""
    said = _said(one)
    if said is None:
        return None
    return f"{time.strftime('%H:%M:%S', time.localtime(one.at))}  {clipped(said, _WIDTH)}"


def agent_line(raw: bytes) -> str:
    """A line that the agent printed, set off from ours."""
    return "          | " + clipped(raw.decode("utf-8", "replace"), _WIDTH)


def _said(one: Happened) -> str | None:
    cycle = one.number("cycle")
    numbered = f"cycle {cycle}" if cycle is not None else "the cycle"
    match one.event:
        case Event.SESSION_STARTED:
            return f"session {one.run} started"
        case Event.SESSION_CONTINUED:
            return f"session {one.run} goes on"
        case Event.STOPPING:
            return _joined("stopping", one.first("stop_reason", "reason"), one.text("detail"))
        case Event.SESSION_ENDED:
            return _joined("session ended", one.first("stop_reason", "reason"), one.text("detail"))
        case Event.RECOVERED:
            return _joined(f"{numbered} was cut off before; settled", one.first("outcome", "detail", "text"))
        case Event.MEASURED:
            return _measured(one)
        case Event.CHOSEN:
            return _joined(
                f"next: {one.first('target', 'key')}", ", ".join(filter(None, (one.text("source"), one.text("worker"))))
            )
        case Event.EMPTY_PASS:
            return "nothing to do in this pass"
        case Event.DECLINED:
            return _joined(f"{one.text('worker') or 'a worker'} declines {one.first('target', 'key')}", one.text("why"))
        case Event.CYCLE_STARTED:
            return f"{numbered} started: {one.text('target')}"
        case Event.CYCLE_ENDED:
            return _joined(f"{numbered} ended", one.text("result"), one.text("reason"))
        case Event.PHASE_STARTED:
            attempt = one.number("attempt") or 1
            return f"  {one.text('phase')} started" + (f" (attempt {attempt})" if attempt > 1 else "")
        case Event.PHASE_ENDED:
            took = one.seconds()
            after = f" after {duration(took)}" if took is not None else ""
            return _joined(f"  {one.text('phase')} ended{after}", one.text("ended"), one.text("said"))
        case Event.PARKED:
            return _joined(f"{numbered} parked", one.first("until", "why"))
        case Event.RESUMED:
            return f"{numbered} goes on"
        case Event.CHECKED:
            return _joined(f"  {one.text('check') or 'check'}", one.first("outcome", "text"))
        case Event.PROBED:
            return _joined("  tried again on the tree as it was", one.first("outcome", "text"))
        case Event.NOTICE:
            return f"note: {one.first('text', 'notice', 'what')}"
        case Event.STEP:
            return None


def _measured(one: Happened) -> str:
    passing, total, took = one.number("passing"), one.number("total"), one.seconds()
    counted = f"{passing} of {total} goals pass" if passing is not None and total is not None else "goals measured"
    return counted + (f" (took {duration(took)})" if took is not None else "")


def _joined(head: str, *parts: str) -> str:
    rest = ": ".join(part for part in parts if part)
    return f"{head}: {rest}" if rest else head
