"""One supervisor a repository: our own lock decides, upstream's is held too so that their tool sees us."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from agentops.app.opening import Here
from agentops.core.errors import LeaseHeld
from agentops.evolve.guard import StateGuard
from agentops.evolve.own_files import UPSTREAM_LOCK
from agentops.host.files import ensure_folder
from agentops.host.locks import FileLock, describe


@contextmanager
def lease(here: Here, run: str, *, after_crash: bool = False) -> Iterator[None]:
    """Hold the repository for this run. Raises LeaseHeld (exit 6) with the holder's pid and host.

    `after_crash`: a cycle that was cut off may have put a file where upstream's lock belongs; it moves aside.
    """
    ours = FileLock(here.lock, here.clock, {"run": run})
    with ExitStack() as held:
        if not ours.take():
            raise LeaseHeld(f"another supervisor works on this repository: {describe(ours.description())}")
        held.callback(ours.release)
        overnight = os.path.join(here.agents, "overnight", "run.lock")
        if os.path.lexists(overnight):
            dream = FileLock(overnight, here.clock)
            if not dream.take():
                raise LeaseHeld(f"an overnight knowledge run holds {overnight}", mend="wait for it, or end it")
            dream.release()
        if after_crash:
            StateGuard(here.repository.top, (UPSTREAM_LOCK,), here.state).make_way()
        ensure_folder(here.agents, 0o755)
        upstream = FileLock(os.path.join(here.repository.top, UPSTREAM_LOCK), here.clock, {"run": run})
        if not upstream.take():
            raise LeaseHeld(f"upstream's supervisor works here: {upstream.path} is held", mend="ao rpi status   (upstream's)")
        held.callback(upstream.release)
        yield
