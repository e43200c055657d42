"""The first process of a tree that no sandbox holds: adopts every orphan below it and ends them all when it ends.

Run as a script by `python -I -S shim.py MODE STATUS LIFELINE -- ARGV…`; imports nothing of ours, so that it starts fast.
MODE `init`: process 1 of a pid namespace (the kernel ends the rest with it). MODE `reaper`: a subreaper among others.
STATUS: descriptor for JSON lines as bubblewrap writes them: `child-pid`, then `exit-code` once the command ran, or
`error` when it never did. LIFELINE: a pipe whose other end only the launcher holds; its end means "end everything now",
also when the launcher was killed (loop-peers F2-E: PDEATHSIG alone leaves grandchildren).
The exit code is the command's, 128+n when signal n ended it.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, prctl(2)
_ROUND_MS = 5
_ROUNDS = 1000


def main(mode: str, status: int, lifeline: int, command: list[str]) -> int:
    wake, bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    for fd in (status, lifeline):
        os.set_inheritable(fd, False)
    told_to_end: list[int] = []
    for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(one, lambda number, _frame: told_to_end.append(number))
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    if mode == "reaper":
        _adopt_orphans()
    started, failed = os.pipe2(os.O_CLOEXEC)
    try:
        child = os.fork()
    except OSError as error:
        return _report_failure(status, error, command)
    if child == 0:
        _become(command, failed)
    os.close(failed)
    said = os.read(started, 64)
    if said:
        os.waitpid(child, 0)
        return _report_failure(status, OSError(int(said), os.strerror(int(said))), command)
    _say(status, f'"child-pid": {os.getpid()}')
    code = _wait(child, wake, lifeline, told_to_end)
    if code is not None:
        _say(status, f'"exit-code": {code}')
    if mode == "reaper":
        _end_all(wake)
    return 128 + signal.SIGKILL if code is None else code


def _wait(child: int, wake: int, lifeline: int, told_to_end: list[int]) -> int | None:
    """The command's exit code; None when the launcher went away or told us to end."""
    poller = select.poll()
    poller.register(wake, select.POLLIN)
    poller.register(lifeline, select.POLLIN)
    while not told_to_end:
        while (found := _reap())[0]:
            if found[0] == child:
                code = os.waitstatus_to_exitcode(found[1])
                return code if code >= 0 else 128 - code
        if any(fd == lifeline for fd, _ in poller.poll()):
            return None
        _silence(wake)
    return None


def _become(command: list[str], failed: int) -> None:
    """In the child: the command's own session, Python's ignored signals back to normal."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for one in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
            signal.signal(one, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        os.write(failed, str(error.errno).encode())
    finally:
        os._exit(127)


def _end_all(wake: int) -> None:
    """Kill our children until there are none: whoever dies leaves its own children to us. Bounded, for what cannot die."""
    poller = select.poll()
    poller.register(wake, select.POLLIN)
    for _ in range(_ROUNDS):
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while (found := _reap())[0]:
            pass
        if found[1] < 0:
            return
        poller.poll(_ROUND_MS)
        _silence(wake)


def _reap() -> tuple[int, int]:
    """One ended child and its status; (0, 0) when none has ended, (0, -1) when there is none at all."""
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0, -1


def _children() -> list[int]:
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children", encoding="ascii") as file:
            return [int(one) for one in file.read().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _parent(pid) == me]


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _adopt_orphans() -> None:
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


def _silence(wake: int) -> None:
    try:
        os.read(wake, 512)
    except BlockingIOError:
        pass


def _report_failure(status: int, error: OSError, command: list[str]) -> int:
    _say(status, f'"error": "{_plain(command[0])}: {error.strerror}"')
    return 127 if error.errno == errno.ENOENT else 126


def _say(status: int, facts: str) -> None:
    """One JSON object; by hand, since importing `json` takes as long as the rest of our start."""
    try:
        os.write(status, f"{{{facts}}}\n".encode())
    except OSError:
        pass  # nobody listens any more; the lifeline will say so


def _plain(text: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() and char not in '"\\' else "?" for char in text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[5:]))
