"""How an agent's run ended: one truthful word, from facts. Pure.

In this order: what we ended it for, what ended it from outside, its structured events, its exit code, the last error line of
stderr, its own error lines of text. A tool's result and the prompt are never among them (loop-peers B-L1), and exit 0 is no
success by itself (B-H4, B-H15).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentops.agents.adapter import Adapter, Ends, Format
from agentops.agents.heard import Heard, Problem
from agentops.agents.rules import Meanings
from agentops.core.processes import Ended, Exit

SPECIFIC = frozenset({Ended.LIMIT, Ended.OVERLOADED, Ended.AUTH, Ended.PERMISSION_DENIED, Ended.BAD_CONFIG})
_STATUS = {
    401: Ended.AUTH,
    402: Ended.LIMIT,
    403: Ended.AUTH,
    404: Ended.BAD_CONFIG,
    408: Ended.OVERLOADED,
    429: Ended.LIMIT,
    500: Ended.OVERLOADED,
    502: Ended.OVERLOADED,
    503: Ended.OVERLOADED,
    504: Ended.OVERLOADED,
    529: Ended.OVERLOADED,
}
STDERR_LINES = 30
"""How many of the last lines of stderr may say why it ended."""


@dataclass(frozen=True, slots=True)
class Ending:
    """`error`: the first specific error, verbatim; None when there was none. `problem`: where its words and reset come from."""

    ended: Ended
    error: str | None = None
    problem: Problem | None = None


def ending(adapter: Adapter, meanings: Meanings, heard: Heard, done: Exit, finished: bool = False) -> Ending:
    """`finished`: we ended it because it had said its last word and did not leave (loop-peers B-H10)."""
    if done.ended is Ended.SPAWN_ERROR:
        return Ending(Ended.SPAWN_ERROR, done.error or None)
    if heard.enough is not None and done.ended is Ended.KILLED:
        return Ending(heard.enough[0], heard.enough[1])
    if done.stop is not None and not finished:
        return Ending(Ended.KILLED, done.error or None)
    found = _worst(meanings, heard, done)
    if done.ended in (Ended.TIMEOUT, Ended.STALLED):
        # Some wait for ever for a limit to pass, and say so only in their log (loop-peers B-H9, B-H13).
        silent = heard.done is None and found is not None and found.ended in SPECIFIC
        return found if silent and found is not None else Ending(done.ended, done.error or (found.error if found else None))
    if done.ended is Ended.KILLED and not finished:
        return Ending(Ended.KILLED, f"signal {done.signal}" if done.signal else f"exit code {done.code}")
    if heard.done is Ends.OK and (finished or done.code == 0):
        return _nothing_done(adapter, heard) or Ending(Ended.OK)
    by_code = adapter.exits.get(str(done.code)) if done.code else None
    if found is not None and (found.ended in SPECIFIC or by_code is None):
        return found
    if by_code is not None:
        return Ending(by_code, found.error if found else f"exit code {done.code}", found.problem if found else None)
    if done.code != 0 and not finished:
        return Ending(Ended.ERROR, _last_line(done) or f"exit code {done.code}")
    if heard.done is Ends.ERROR:
        return Ending(Ended.ERROR, "it ended with an error and did not say which")
    if adapter.tells_end and adapter.output.format is Format.JSONL:
        return Ending(Ended.TRUNCATED, "its output ended before its last event")
    return _nothing_done(adapter, heard) or Ending(Ended.OK)


def _worst(meanings: Meanings, heard: Heard, done: Exit) -> Ending | None:
    """The first specific problem of its own; else one that stderr's last lines name; else the first problem at all."""
    first: Ending | None = None
    for problem in heard.problems:
        kind = kind_of(problem, meanings)
        if kind in SPECIFIC:
            return Ending(kind, problem.words or str(problem.status or kind), problem)
        first = first or Ending(kind, problem.words or None, problem)
    if heard.done is Ends.OK and done.code == 0:
        return first
    for line in reversed(_stderr(done)):
        said = meanings.of(line)
        if said is not None:
            return Ending(said, line, Problem(line))
    return first


def kind_of(problem: Problem, meanings: Meanings) -> Ended:
    """The event's own word, then what the message means, then its HTTP status; what nobody knows is an error."""
    if problem.kind is not None and problem.kind is not Ended.ERROR:
        return problem.kind
    return meanings.of(problem.words) or _STATUS.get(problem.status or 0) or Ended.ERROR


def _nothing_done(adapter: Adapter, heard: Heard) -> Ending | None:
    """A turn that completed without a word, a tool call or a token is how some limits look (loop-peers B-L7)."""
    if not adapter.streams or heard.tools or heard.text.strip():
        return None
    return Ending(Ended.NO_OP, "it ended without a word and without doing anything")


def _stderr(done: Exit) -> Sequence[str]:
    raw = done.err + done.err_tail if len(done.err_tail) < 16_384 else done.err_tail
    return [line.strip()[:4000] for line in raw[-65_536:].decode("utf-8", "replace").splitlines()[-STDERR_LINES:] if line.strip()]


def _last_line(done: Exit) -> str | None:
    lines = _stderr(done)
    return lines[-1] if lines else None
