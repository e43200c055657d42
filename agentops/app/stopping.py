"""`ao stop`, `ao pause`, `ao resume`: a person's word to a running session, as files that any process sees."""

from __future__ import annotations

import os

from agentops.app.opening import Here
from agentops.core.errors import UsageError
from agentops.evolve.journal import read_state
from agentops.evolve.own_files import STOP
from agentops.host.files import ensure_folder, remove, write_atomic
from agentops.host.holders import holder
from agentops.host.scope import said
from agentops.records.times import utc_text
from agentops.views.times import duration


def stop(here: Here, *, after_cycle: bool, clear: bool) -> str:
    """Write or clear the stop file. One that we write carries the session and goes with it: last night's word must not
    cancel every later night (design-review 22).
    """
    path = _stop_path(here)
    if clear:
        return _clear(here)
    session = running_session(here)
    if session is None:
        return "no session is running here; nothing to stop"
    words = ["after-cycle" if after_cycle else "ao stop", f"session {session}", f"at {utc_text(here.clock.now().wall)}"]
    ensure_folder(os.path.dirname(path), mode=0o755)
    write_atomic(path, ("\n".join(words) + "\n").encode(), mode=0o644)
    when = "after the running cycle" if after_cycle else "now"
    return f"session {session} ends {when} (ao status)"


def _clear(here: Here) -> str:
    cleared = []
    for file in here.stop_files:
        if os.path.lexists(file.path) and not os.path.isdir(file.path):
            remove(file.path)
            cleared.append(file.path)
    left = [file.path for file in here.stop_files if os.path.lexists(file.path)]
    if left:
        raise UsageError(f"{left[0]} is a folder; it is not ours to remove", mend=f"rmdir {left[0]}")
    return f"removed {', '.join(cleared)}" if cleared else "there is no stop file"


def pause(here: Here) -> str:
    """Park the running session at the end of its phase."""
    session = running_session(here)
    if session is None:
        return "no session is running here; nothing to pause"
    write_atomic(here.pause, f"ao pause\nsession {session}\n".encode())
    return f"session {session} parks at the end of the running phase; your tree is yours then (ao resume)"


def resume(here: Here) -> str:
    """Let a parked session go on."""
    if remove(here.pause):
        return "the pause is over"
    return "nothing is paused"


def running_session(here: Here) -> str | None:
    """The session that holds the lease now, if any."""
    if holder(here.lock) is None:
        return None
    return read_state(here.journal).session or "(starting)"


def stop_file_there(here: Here) -> str | None:
    """A stop file that stands in the way of a start: which, since when, and its words. None where there is none."""
    for file in here.stop_files:
        words = said(file.path)
        if words is None:
            continue
        try:
            age = max(0.0, here.clock.now().wall - os.lstat(file.path).st_mtime)
        except FileNotFoundError:  # taken away between the two looks
            continue
        first = words.partition("\n")[0].strip()
        since = f"{file.path} has been there for {duration(age)}{f' ({first})' if first else ''}"
        return f"{since}; ao stop --clear removes it"
    return None


def forget_own_stop(here: Here) -> None:
    """At a session's end, under its lease: remove the stop and pause files that `ao` wrote; they were meant for it."""
    for path in (_stop_path(here), here.pause):
        if _meant_for(path) is not None:
            _forget(path)


def forget_fulfilled_stop(here: Here) -> str | None:
    """A word to a session that ended without removing it (it was killed) must not cancel this night; says what went.

    Only what `ao stop` wrote, and only while nobody holds the lease; what a person made by hand stays.
    """
    path = _stop_path(here)
    session = _meant_for(path)
    if session is None or _is_cut_off(session, here) or holder(here.lock) is not None or not _forget(path):
        return None
    return f"removed an `ao stop` that was meant for session {session}, which is over"


def is_for_the_session_that_goes_on(here: Here) -> bool:
    """Whether the only stop file there is was meant for a session that a crash cut off before it could obey.

    Such a session is continued, so it still has its word to obey: the next start puts its cycle in order and ends it.
    """
    there = [file.path for file in here.stop_files if os.path.lexists(file.path)]
    session = _meant_for(_stop_path(here))
    return there == [_stop_path(here)] and session is not None and _is_cut_off(session, here)


def _is_cut_off(session: str, here: Here) -> bool:
    state = read_state(here.journal)
    return state.session == session and not state.ended


def _stop_path(here: Here) -> str:
    return os.path.join(here.repository.top, STOP)


def _meant_for(path: str) -> str | None:
    """The session that a file of ours names; None for a file that is not ours, or none."""
    lines = (said(path) or "").splitlines()  # never waits, whatever stands there
    return next((line.removeprefix("session ") for line in lines[1:2] if line.startswith("session ")), None)


def _forget(path: str) -> bool:
    try:
        return remove(path)
    except OSError:
        return False
