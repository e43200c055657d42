"""Ends what a killed launcher has just started, in the moment before the sandbox has tied itself to its parent.

bubblewrap asks the kernel to die with its parent only after it has started up and cloned; a launcher killed within those
milliseconds would leave an agent at work that nobody watches. One warden a launcher waits for that, costs nothing a run.
Run as a script by `python -I -S warden.py LIFELINE WANTED`; imports nothing of ours. LIFELINE: a pipe whose other end only
the launcher holds; a byte means that it says goodbye, its end that it was killed. WANTED: the start of an environment
entry that every tree of that launcher carries and nobody else.
"""

from __future__ import annotations

import os
import select
import signal
import sys

_ROUND_MS = 20
_QUIET_ROUNDS = 10
"""A process between fork and exec does not show its new environment yet; so nothing found once is no proof."""


def main(lifeline: int, wanted: bytes) -> None:
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    if os.read(lifeline, 1):
        return
    quiet, poller = 0, select.poll()
    while quiet < _QUIET_ROUNDS:
        ended = sum(_end(int(name), wanted) for name in os.listdir("/proc") if name.isdigit())
        quiet = 0 if ended else quiet + 1
        poller.poll(_ROUND_MS)


def _end(pid: int, wanted: bytes) -> bool:
    """SIGKILL if it is one of the launcher's; the pidfd is opened first, so that the id cannot change hands in between."""
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environ = file.read()
        if not environ.startswith(wanted) and b"\0" + wanted not in environ:
            return False
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        return True
    except OSError:
        return False
    finally:
        os.close(pidfd)


if __name__ == "__main__":
    main(int(sys.argv[1]), os.fsencode(sys.argv[2]))
