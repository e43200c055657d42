"""How a run ended, from the facts about it. Pure."""

from __future__ import annotations

import signal
from collections.abc import Mapping

from agentops.core.processes import Ended, SandboxLevel, Spec

_KILLED = {128 + signal.SIGKILL, 128 + signal.SIGTERM}


def end_of(
    spec: Spec, level: SandboxLevel, status: int | None, ending: Ended | None, said: Mapping[str, object], printed: bytes
) -> tuple[int | None, int | None, Ended, str]:
    """(code, signal, ended, error) of a process that is over.

    `status`: as `os.waitstatus_to_exitcode` gives it, None when it is lost. `ending`: what we ended it for, if we did.
    `said`: what the sandbox told about itself. `printed`: the start of its stderr.
    """
    code = status if status is not None and status >= 0 else None
    by = -status if status is not None and status < 0 else None
    if ending is not None:
        return code, by, ending, ""
    if status is None:
        return None, None, Ended.ERROR, "its exit status was taken by someone else"
    contained = level is not SandboxLevel.OFF
    if contained and "exit-code" not in said and by is None:
        return None, None, Ended.SPAWN_ERROR, _why(spec, level, said, printed)
    if code == 0:
        return code, by, Ended.OK, ""
    # Not by us: the kernel's out-of-memory killer, or someone outside (loop-peers B-H6). Sandboxes report 128 + n.
    killed = by in (signal.SIGKILL, signal.SIGTERM) or (contained and code in _KILLED)
    return code, by, Ended.KILLED if killed else Ended.ERROR, ""


def _why(spec: Spec, level: SandboxLevel, said: Mapping[str, object], printed: bytes) -> str:
    if isinstance(error := said.get("error"), str):
        return error
    words = printed.decode("utf-8", "replace").strip()[-500:]
    return words or f"the {level} sandbox did not start {spec.argv[0]}"
