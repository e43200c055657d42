"""`.agents/evolve/session-state.json`: a projection of the running session for upstream's tools and dashboards.

Nothing of ours reads it back: the journal is the truth. Other writers keep keys of their own in it, so unknown ones stay.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from agentops.host import files
from agentops.host.faults import fault

_LARGEST = 4 * 1024 * 1024


def update(path: str, facts: Mapping[str, object]) -> str | None:
    """Set `facts`, keep every other key; atomic, not durable. Returns a note for the person when something had to give.

    A file that is no JSON object is kept beside as `.bad` before it is replaced. Never raises: it is only a projection.
    """
    try:
        fault("session_state.write.before")
        files.ensure_folder(os.path.dirname(os.path.abspath(path)), mode=0o755)
        known, note = _existing(path)
        text = msgspec.json.format(msgspec.json.encode({**known, **facts}), indent=2)
        files.write_atomic(path, text + b"\n", mode=0o644, durable=False)
    except (OSError, TypeError, ValueError) as error:
        return f"{path} could not be written: {error}"
    return note


def _existing(path: str) -> tuple[dict[str, object], str | None]:
    try:
        data = files.read_bounded(path, _LARGEST)
    except FileNotFoundError:
        return {}, None
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found, None
    files.write_atomic(f"{path}.bad", data, mode=0o644, durable=False)
    return {}, f"{path} was no JSON object; it is kept as {path}.bad and written anew"
