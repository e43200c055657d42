"""Starting a process that is to outlive us and our terminal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from agentops.core.errors import EnvironmentUnusable
from agentops.host.faults import fault
from agentops.host.files import ensure_folder


def start_detached(argv: Sequence[str], cwd: str, env: Mapping[str, str], log_path: str) -> int:
    """Start it in its own session, output appended to the log (0600), no input; returns its process id.

    A failure to start is an `EnvironmentUnusable`; what goes wrong later stands in the log.
    """
    ensure_folder(os.path.dirname(log_path))
    fault("detach.start.before")
    log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise EnvironmentUnusable(f"{argv[0]} could not be started in {cwd}: {error.strerror}", mend=f"cat {log_path}") from error
    finally:
        os.close(log)
    process.returncode = 0  # not ours to wait for: no warning about a child that is meant to go on
    return process.pid


def ended(pid: int) -> int | None:
    """The exit code of a process that `start_detached` started, 128+n when signal n ended it; None while it runs."""
    found, status = os.waitpid(pid, os.WNOHANG)
    if not found:
        return None
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
