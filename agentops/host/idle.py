"""Signs of life of a process tree: output, or CPU time that is more than a timer's tick now and then."""

from __future__ import annotations

from agentops.host.trees import TICKS, descendants, process

_SHARE = 0.01
"""Less CPU than this share of the time is no work: an event loop that only waits for a dead socket ticks a little too."""


def tree_ticks(root: int) -> int:
    """CPU ticks of a process and all below it, reaped children included; 0 when it is gone."""
    top = process(root)
    return 0 if top is None else top.ticks + sum(one.ticks for one in descendants(root, dead=True))


class Idle:
    """Tells when a tree has shown no life for `limit` seconds (loop-peers B-H2, B-O4). Times are `Instant.mono`.

    CPU is sampled only while the output is silent, a few times within the limit: a scan of /proc costs milliseconds.
    """

    def __init__(self, limit: float, now: float) -> None:
        self._limit = limit
        self._every = min(5.0, max(0.1, limit / 4))
        self._life = self._sampled = now
        self._ticks: int | None = None

    def output(self, now: float) -> None:
        self._life, self._ticks = now, None

    def stalled(self, now: float, root: int) -> bool:
        if now - max(self._life, self._sampled) >= self._every:
            ticks = tree_ticks(root)
            grown = 0 if self._ticks is None else ticks - self._ticks
            # Fewer than before: a child that nobody waited for took its ticks along. That is an end, and so life too.
            if grown < 0 or (grown > 0 and grown / TICKS >= _SHARE * (now - self._sampled)):
                self._life = now
            self._ticks, self._sampled = ticks, now
        return now - self._life >= self._limit
