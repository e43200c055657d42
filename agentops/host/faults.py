"""Named points at which a test may break the machine; inert unless `AO_FAULT` is set.

`AO_FAULT=point:nth:action[,…]` with action `kill` (SIGKILL ourselves), `error` (EIO), `enospc`, or `hold` (SIGSTOP
ourselves: whoever started us does something exactly here, then lets us go on with SIGCONT).
`AO_FAULT_LOG=FILE` appends the name of every point passed, so that a torture can enumerate points and counts.
The idea is SQLite's and etcd's: fail the Nth effect for N = 1, 2, 3 … until a run completes without a fault.
"""

from __future__ import annotations

import errno
import os
import signal
from collections import Counter


class _Armed:
    """What the environment asked for, parsed once at import."""

    def __init__(self, wanted: str, log: str | None) -> None:
        self.log = log
        self.passed: Counter[str] = Counter()
        self.wanted: dict[tuple[str, int], str] = {}
        for one in filter(None, wanted.split(",")):
            point, nth, action = one.rsplit(":", 2)
            self.wanted[point, int(nth)] = action

    def passing(self, point: str) -> None:
        self.passed[point] += 1
        if self.log is not None:
            fd = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(fd, f"{point}\n".encode())
            finally:
                os.close(fd)
        match self.wanted.get((point, self.passed[point])):
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hold":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "error":
                raise OSError(errno.EIO, f"fault injected at {point}")
            case "enospc":
                raise OSError(errno.ENOSPC, f"fault injected at {point}")


_wanted, _log = os.environ.get("AO_FAULT"), os.environ.get("AO_FAULT_LOG")
_armed = _Armed(_wanted or "", _log) if _wanted or _log else None


def fault(point: str) -> None:
    """Pass a fault point. Costs one comparison when nothing is armed."""
    if _armed is not None:
        _armed.passing(point)
