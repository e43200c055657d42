"""`events.jsonl`: what happened, line by line, for `ao logs -f`, status and reports. A view, never a truth."""

from __future__ import annotations

import os
from itertools import pairwise

import msgspec

from agentops.core.clock import Clock
from agentops.core.events import Event
from agentops.host import files
from agentops.host.faults import fault
from agentops.records.times import utc_text


class EventLog:
    """Appends one compact JSON object an event; rotates at `rotate_bytes`, keeping `keep` older files (`.1` the newest).

    Nothing is fsynced and nothing ever raises: losing a view must not cost a cycle. Rotation renames, so that a follower
    sees another inode and reopens.
    """

    def __init__(self, path: str, clock: Clock, run: str, rotate_bytes: int = 32 * 1024 * 1024, keep: int = 3) -> None:
        self._path = path
        self._clock = clock
        self._run = run
        self._rotate_bytes = rotate_bytes
        self._keep = keep

    def emit(self, name: Event, **facts: object) -> None:
        """Append `{"at": …, "event": …, "run": …, facts…}`. Facts of those three names give way, odd ones are told as text."""
        try:
            head = {"at": utc_text(self._clock.now().wall), "event": str(name), "run": self._run}
            rest = {key: fact for key, fact in facts.items() if key not in head}
            # Sets come in another order in every process; lines about the same facts should not differ by that.
            told = msgspec.json.encode(rest, enc_hook=str, order="deterministic")
            line = msgspec.json.encode(head) if not rest else msgspec.json.encode(head)[:-1] + b"," + told[1:]
            fault("events.append.before")
            if self._size() + len(line) >= self._rotate_bytes:
                self._rotate()
            files.append_line(self._path, line, durable=False)
        except Exception:
            return  # whatever it was, a view is not worth a cycle

    def _size(self) -> int:
        try:
            return os.stat(self._path).st_size
        except OSError:
            return 0

    def _rotate(self) -> None:
        names = [self._path, *(f"{self._path}.{older}" for older in range(1, self._keep + 1))]
        if self._keep < 1:
            files.remove(self._path)
            return
        for newer, older in reversed(list(pairwise(names))):
            if os.path.lexists(newer):
                fault("events.rotate.before")
                files.move(newer, older)
