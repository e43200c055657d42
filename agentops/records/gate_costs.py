"""`gate-costs.json` in our state: how long each gate command took last, for whoever wonders what a cycle costs.

One object, command → seconds, the newest last. A view, never a truth: what is lost of it costs one number at a start.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from agentops.core.wire import dump
from agentops.host.faults import fault
from agentops.host.files import read_bounded, write_atomic

_MOST = 64
_LIMIT = 256 * 1024


class GateCosts:
    """Reading and writing never raise."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self) -> Mapping[str, float]:
        """Seconds by command title; empty when nothing (readable) is there."""
        try:
            return msgspec.json.decode(read_bounded(self._path, _LIMIT), type=dict[str, float])
        except (OSError, msgspec.MsgspecError, ValueError):
            return {}

    def note(self, title: str, seconds: float) -> None:
        """The command took so long now."""
        costs = {name: cost for name, cost in self.read().items() if name != title}
        kept = list({**costs, title: round(seconds, 3)}.items())[-_MOST:]
        try:
            fault("gate_costs.write.before")
            write_atomic(self._path, dump(dict(kept)), durable=False)
        except OSError:
            return
