"""`ao evolve --detach`: the same command line once more, in a session of its own, seen off until it works."""

from __future__ import annotations

import os
import sys

from agentops.app.opening import Here, open_here
from agentops.cli.voice import standard_out
from agentops.core.errors import ExitCode, LeaseHeld
from agentops.host.detach import ended, start_detached
from agentops.host.files import ensure_folder
from agentops.host.holders import holder
from agentops.views.events import Follower

PATIENCE = 20.0
"""Seconds until it is left alone although it neither holds the lease nor has ended: a slow disk is no failure."""
_LOOK = 0.05


def detach(cwd: str, env: dict[str, str]) -> int:
    """Start it, wait until it holds the lease or has refused to begin, and say which. Returns its code when it has ended.

    Whoever goes to bed now must not find out at seven that it never began.
    """
    at = open_here(cwd, env)
    held = holder(at.lock)
    if held is not None:
        raise LeaseHeld(f"another supervisor works on this repository: pid {held.pid} on {held.host}")
    ensure_folder(at.state)
    log = os.path.join(at.state, "detached.log")
    words = [word for word in sys.argv[1:] if word != "--detach"]
    told = Follower(log)
    # -P: a module of the person's repository must not be taken for one of ours
    pid = start_detached((sys.executable, "-P", "-m", "agentops.cli.main", *words, "--detached"), cwd, env, log)
    code = _seen_off(pid, at)
    voice = standard_out()
    if code is not None:
        voice.lines(raw.decode("utf-8", "replace") for raw in told.more())
        return code
    voice.lines((f"Started in the background: pid {pid}", f"  log      {log}", "  follow   ao logs -f", "  end      ao stop"))
    return ExitCode.PLANNED


def _seen_off(pid: int, at: Here) -> int | None:
    """Its exit code if it ended before it began to work, else None."""
    end = at.clock.now().plus(PATIENCE)
    while (now := at.clock.now()).mono < end.mono:
        if (code := ended(pid)) is not None:
            return code
        held = holder(at.lock)
        if held is not None and held.pid == pid:
            return None
        at.scope.wait(now.plus(_LOOK))
    return None
