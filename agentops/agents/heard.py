"""What was understood of an agent's output so far: plain facts, bounded, on which its ending is decided."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from dataclasses import dataclass, field

from agentops.agents.adapter import Ends
from agentops.core.processes import Ended

TEXT = 64 * 1024
"""Characters of the final message that are kept, from its end: that is where the verdict stands."""
PROBLEMS = 50
SAME_CALL, CALLS = 8, 12
"""So many equal calls among so many: it goes in circles (loop-peers B-L13)."""
DENIED = 3
"""The same call denied so often: nobody is there to allow it (loop-peers B-H5)."""
_WAITING = ("sleep", "wait", "poll")


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that the agent reported of itself. `resets`: epoch seconds; `resets_in`: seconds from when it was heard."""

    words: str
    kind: Ended | None = None
    status: int | None = None
    resets: float | None = None
    resets_in: float | None = None


@dataclass(slots=True)
class Heard:
    """`said`: pieces of its last message, oldest first. `done`: what the terminal event says, None before it.

    `enough`: why the run is to be ended by us, with what it counts as. Totals are None until a number was heard.
    """

    said: deque[str] = field(default_factory=deque)
    problems: list[Problem] = field(default_factory=list)
    turns: int = 0
    tools: int = 0
    events: int = 0
    done: Ends | None = None
    enough: tuple[Ended, str] | None = None
    _said_size: int = 0
    _sums: dict[str, dict[str, float]] = field(default_factory=dict)
    _totals: dict[str, float] = field(default_factory=dict)
    _calls: deque[str] = field(default_factory=lambda: deque(maxlen=CALLS))
    _denied: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        return "\n".join(self.said)[-TEXT:]

    def says(self, words: str, *, afresh: bool = False) -> None:
        """A piece of a message; `afresh`: it replaces what was said before."""
        if afresh:
            self.said.clear()
            self._said_size = 0
        self.said.append(words[-TEXT:])
        self._said_size += len(self.said[-1])
        while self._said_size > TEXT and len(self.said) > 1:
            self._said_size -= len(self.said.popleft())

    def adds(self, what: str, amount: float, id: str, *, whole: bool = False) -> None:  # noqa: A002 - the events' own word
        """A number of `tokens_in`, `tokens_out` or `usd`. The same `id` again replaces; `whole`: the run's total so far."""
        if whole:
            self._totals[what] = amount
            return
        sums = self._sums.setdefault(what, {})
        if id and id not in sums and len(sums) > 10_000:  # a night of ids must not fill the memory
            sums[""] = sum(sums.values())
            for known in [one for one in sums if one]:
                del sums[known]
        sums[id] = amount if id else sums.get("", 0.0) + amount

    def sum(self, what: str) -> float | None:
        if what in self._totals:
            return self._totals[what]
        sums = self._sums.get(what)
        return sum(sums.values()) if sums else None

    def problem(self, problem: Problem) -> None:
        """The first ones are kept: the last error is often only "it ended" (loop-peers B-L5)."""
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)

    def calls(self, tool: str, arguments: bytes) -> None:
        """A tool call; the eighth equal one among twelve ends the run, unless it is one that waits."""
        self.tools += 1
        mark = hashlib.blake2b(tool.encode() + b"\0" + arguments, digest_size=8).hexdigest()
        self._calls.append(mark)
        if self.enough is None and self._calls.count(mark) >= SAME_CALL:
            shown = arguments[:2000].decode("utf-8", "replace").lower()
            if arguments and not any(word in shown for word in _WAITING):
                self.enough = (Ended.STALLED, f"it went in circles: the same call of {tool} {SAME_CALL} times in {CALLS}")

    def denies(self, what: str) -> None:
        """A call that was not allowed."""
        key = what[:300]
        if len(self._denied) < 1000:
            self._denied[key] += 1
        if self.enough is None and self._denied[key] >= DENIED:
            self.enough = (Ended.PERMISSION_DENIED, f"denied {DENIED} times: {key}")

    def begins(self) -> None:
        """It goes on after what looked like its end (it retries by itself)."""
        self.done = None
