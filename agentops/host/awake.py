"""Keeping the machine from falling asleep while a session runs, as far as it lets us.

The tool of the system (`systemd-inhibit`, `caffeinate`) holds the machine awake for as long as a command of its runs.
That command reads a pipe whose other end only we hold: whatever ends us, a SIGKILL too, ends it and gives the machine back.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from agentops.core.stops import Scope
from agentops.host.environment import resolve
from agentops.host.faults import fault
from agentops.host.spawn import MARKER, TREE

HELD = b"held"
_UNTIL_PIPE_ENDS = ("sh", "-c", f"echo {HELD.decode()}; exec cat >/dev/null")
_WAYS = (
    # without a login session only "idle" may be asked for (polkit's default), as from cron
    ("systemd-inhibit", "--mode=block", "--who=ao", "--why=ao evolve is at work", "--what=sleep:idle"),
    ("systemd-inhibit", "--mode=block", "--who=ao", "--why=ao evolve is at work", "--what=idle"),
    ("caffeinate", "-i", "-s"),
)
PATIENCE = 2.0
"""Seconds for the system to answer. A session without that is worth more than one that waits for a bus."""
_LET_GO = 1.0
_ANSWER = 500


@contextmanager
def awake(env: Mapping[str, str], scope: Scope) -> Iterator[str]:
    """Hold the machine awake meanwhile; gives the name of the tool that does, or empty and nothing is held. Never fails."""
    holder = _hold(env, scope)
    try:
        yield holder[0] if holder else ""
    finally:
        if holder:
            _release(holder[1])


def _hold(env: Mapping[str, str], scope: Scope) -> tuple[str, subprocess.Popen[bytes]] | None:
    # a mark of ours would make the tool look like work that outlived its run
    plain = {name: value for name, value in env.items() if name not in (MARKER, TREE)}
    for way in _WAYS:
        tool = resolve(way[0], plain)
        if tool is None or scope.stopped() is not None:
            continue
        try:
            process = _start((tool, *way[1:], *_UNTIL_PIPE_ENDS), plain)
        except OSError:
            continue
        answer = _answer(process, scope)
        if answer is not None and answer.startswith(HELD):
            return way[0], process
        _release(process)
        if answer is None:
            break  # a system that does not answer is not asked again
    return None


def _start(argv: tuple[str, ...], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    fault("awake.start.before")
    return subprocess.Popen(
        argv,
        cwd=os.sep,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # no terminal on which a question for a password could be put
    )


def _answer(process: subprocess.Popen[bytes], scope: Scope) -> bytes | None:
    """What the command said: empty when the tool ended without starting it, None when nothing came in time."""
    assert process.stdout is not None
    scope.wait(scope.clock.now().plus(PATIENCE), process.stdout.fileno())
    ready, _, _ = select.select([process.stdout], [], [], 0)
    return os.read(process.stdout.fileno(), _ANSWER) if ready else None


def _release(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, which ends it; what does not end by itself is killed, its command with it."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_LET_GO)
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            process.kill()
        process.wait()
    process.stdout.close()
