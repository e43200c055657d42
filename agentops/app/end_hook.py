"""`--on-end`: one command of the owner's that is told how a session ended."""

from __future__ import annotations

import os

from agentops.app.opening import Here
from agentops.core.processes import Ended, Exit, Limits, Spec
from agentops.core.stops import Scope, StopReason
from agentops.host.environment import resolve

SECONDS = 30.0
AFTER_A_STOP = 1.0
"""Who said stop is there and waits for it: the promise to be gone within two seconds stands (evolve.md, first section)."""
_TOLD = frozenset({StopReason.KILL_SWITCH, StopReason.SIGNAL})
_SAID = 200


def limit(reason: StopReason) -> float:
    """Seconds that the command may take."""
    return AFTER_A_STOP if reason in _TOLD else SECONDS


def tell(argv: tuple[str, ...], report: str, reason: StopReason, here: Here, scope: Scope, run: str) -> str | None:
    """Run it at the repository's top with the JSON report on stdin, no shell between; None, or what went wrong.

    Its whole tree is gone when this returns.
    """
    program = resolve(argv[0], here.env, here.repository.top)
    if program is None:
        return f"--on-end: `{argv[0]}` is not on PATH"
    env = {**here.env, "AO_STOP_REASON": str(reason), "AO_STATE_DIR": here.state}
    spec = Spec(
        (program, *argv[1:]),
        here.repository.top,
        env,
        stdin=report.encode("utf-8", "backslashreplace"),
        limits=Limits(total=limit(reason), head=4096, tail=4096),
        merged=True,
        marker=run,
    )
    done = here.host.run(spec, scope)
    if done.good:
        return None
    said = " ".join((done.out_tail or done.out).decode("utf-8", "replace").split())[-_SAID:]
    return f"--on-end: `{os.path.basename(argv[0])}` {_how(done)}" + (f": {said}" if said else "")


def _how(done: Exit) -> str:
    if done.ended is Ended.TIMEOUT:
        return f"took longer than {done.seconds:.0f} s and was ended"
    if done.code is not None:
        return f"ended with {done.code}"
    return f"was ended by signal {done.signal}" if done.signal is not None else done.error or str(done.ended)
