"""What was tried before, for whoever tries next: the same approach a third time is the most expensive way to fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentops.core.judging import Result
from agentops.core.work import WorkItem
from agentops.evolve.outcomes import NOT_CHARGED, Outcome


def with_earlier(item: WorkItem, outcomes: Sequence[Outcome]) -> WorkItem:
    """The item with this session's fruitless tries of it in its prompt; unchanged when there were none (loop-peers B-S8)."""
    tries: list[str] = []
    for one in outcomes:
        if one.target != item.key or one.reason in NOT_CHARGED:
            continue
        tries = [] if one.result is Result.IMPROVED else [*tries, f"- cycle {one.cycle}: {one.result}, {one.reason}"]
    if not tries:
        return item
    said = "Earlier tries of this did not help and were taken back; look for another way:\n" + "\n".join(tries)
    return replace(item, prompt=f"{item.prompt}\n\n{said}")
