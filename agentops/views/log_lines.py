"""One line of text for each event: what `ao logs` prints."""

from __future__ import annotations

import time

from agentops.core.events import Event
from agentops.core.judging import check_name
from agentops.views.blocks import clipped
from agentops.views.events import Happened
from agentops.views.times import duration, local

_WIDTH = 200


def line(one: Happened) -> str | None:
    """`23:04:05  cycle 3 started: tests-green`; None for events that tell a person nothing."""
    said = _said(one)
    if said is None:
        return None
    indent = "  " if said.startswith("  ") else ""
    return f"{time.strftime('%H:%M:%S', time.localtime(one.at))}  {indent}{clipped(said, _WIDTH)}"


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
        case Event.SESSION_ENDED:
            return _joined("session ended", one.text("stop_reason"), one.text("detail"))
        case Event.RECOVERED:
            return _joined(f"{numbered} had been cut off", one.text("way"))
        case Event.MEASURED:
            return _measured(one)
        case Event.CHECK_SAID:
            return None
        case Event.CHOSEN:
            return f"next: {one.text('target')} ({one.text('source')})"
        case Event.EMPTY_PASS:
            return "nothing to do in this pass"
        case Event.DECLINED:
            return _joined(f"{one.text('worker') or numbered} declines {one.text('target')}", one.text("why"))
        case Event.CYCLE_STARTED:
            return _joined(f"{numbered} started", one.text("target"), one.text("title"))
        case Event.CYCLE_ENDED:
            return _joined(f"{numbered} ended", one.text("result"), one.text("reason"), _took(one))
        case Event.PHASE_STARTED:
            attempt = one.number("attempt") or 1
            return f"  {one.text('phase')} started" + (f" (attempt {attempt})" if attempt > 1 else "")
        case Event.PHASE_ENDED:
            error = clipped(one.text("error"), 120) if one.text("ended") != "ok" else ""
            return _joined(f"  {one.text('phase')} ended", one.text("ended"), one.text("said"), _took(one), error)
        case Event.PARKED:
            until = one.seconds("until")
            return f"{numbered} is parked " + (f"until {local(until, one.at)}" if until is not None else "until told to go on")
        case Event.RESUMED:
            return f"{numbered} goes on"
        case Event.CHECKED:
            return _checked(one)
        case Event.PROBED:
            before = ", ".join(check_name(each) for each in one.texts("fails_before"))
            return f"  the tree as it was fails too: {before}" if before else "  the tree as it was passes: this cycle did it"
        case Event.NOTICE:
            return f"note: {one.text('text')}"


def _took(one: Happened) -> str:
    seconds = one.seconds()
    return f"took {duration(seconds)}" if seconds is not None else ""


def _checked(one: Happened) -> str:
    """The findings that a person would ask about; each is written as kind, subject, detail."""
    found = one.facts.get("findings")
    rows = [each for each in found if isinstance(each, list) and len(each) >= 2] if isinstance(found, list) else []
    named = [f"{kind} {check_name(str(subject))}".strip() for kind, subject, *_ in rows]
    passed = one.number("passed")
    return _joined("  checked", ", ".join(named[:8]) or "nothing found", f"{passed} passed" if passed is not None else "")


def _measured(one: Happened) -> str:
    passing, total, took = one.number("passing"), one.number("total"), one.seconds()
    counted = f"{passing} of {total} goals pass" if passing is not None and total is not None else "goals measured"
    return counted + (f" (took {duration(took)})" if took is not None else "")


def _joined(head: str, *parts: str) -> str:
    rest = ": ".join(dict.fromkeys(part for part in parts if part))
    return f"{head}: {rest}" if rest else head
