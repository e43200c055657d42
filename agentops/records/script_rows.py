"""Ledger rows that scripts write: upstream's rules for what a row must say, and its keys in upstream's order. Pure.

Only a real change is `improved`, only `idle` is `unchanged` at once, and what is productive names its commit and its goals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from agentops.core.judging import Result

PRODUCTIVE = frozenset({Result.IMPROVED, Result.REGRESSED, Result.HARVESTED})
NO_DELTA_OUTSIDE = (":(exclude).agents/**", ":(exclude)GOALS.yaml", ":(exclude)GOALS.md")
"""What git leaves out when it asks whether a cycle changed anything: our own files, and the goals themselves."""


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """What the caller says of a cycle. `canonical_sha`: the commit of the work; `start_sha`: where the cycle began.

    The queue fields belong to a pinned queue: its item, where in the queue (from 0), how long the queue is, and what a
    sub-cycle unblocks at which depth.
    """

    cycle: int
    target: str
    result: Result
    timestamp: str
    canonical_sha: str | None = None
    start_sha: str | None = None
    log_sha: str | None = None
    goals_passing: int | None = None
    goals_total: int | None = None
    quality_score: int | None = None
    goal_ids: tuple[str, ...] = ()
    parallel: bool = False
    queue_item: str | None = None
    queue_index: int | None = None
    queue_total: int | None = None
    unblock_target: str | None = None
    unblock_depth: int | None = None
    trace: Mapping[str, Any] | None = None

    @property
    def productive(self) -> bool:
        """Whether the row claims that something came of the cycle."""
        return self.result in PRODUCTIVE


def missing(row: ScriptRow) -> str | None:
    """Why the row may not be written as it is; None when it may."""
    if row.cycle < 1:
        return "--cycle counts from 1"
    if not row.target.strip():
        return "--target is empty"
    if row.result is Result.UNCHANGED and row.target != "idle":
        return "`unchanged` is for the target `idle`; a cycle without a change is logged as improved, which becomes unchanged"
    if row.productive:
        needed = (
            ("--canonical-sha", row.canonical_sha),
            ("--goals-passing", row.goals_passing),
            ("--goals-total", row.goals_total),
        )
        for option, value in needed:
            if value is None or value == "":
                return f"a cycle that is {row.result} needs {option}"
    if row.result is Result.IMPROVED and not row.start_sha:
        return "a cycle that is improved needs --cycle-start-sha"
    return None


def without_delta(row: ScriptRow) -> ScriptRow:
    """The row of a cycle that changed nothing: unchanged, its target kept, nothing productive claimed."""
    return replace(
        row,
        result=Result.UNCHANGED,
        canonical_sha=None,
        log_sha=None,
        goals_passing=None,
        goals_total=None,
        quality_score=None,
    )


def encode(row: ScriptRow) -> bytes:
    """One line without its newline; what was not said is left out."""
    facts: dict[str, object] = {"cycle": row.cycle, "target": row.target, "result": row.result, "timestamp": row.timestamp}
    if row.productive:
        facts |= {"sha": row.canonical_sha, "canonical_sha": row.canonical_sha}
        facts["log_sha"] = row.log_sha if row.log_sha != row.canonical_sha else None
        facts |= {"goals_passing": row.goals_passing, "goals_total": row.goals_total, "quality_score": row.quality_score}
    facts |= {"goal_ids": list(row.goal_ids) or None, "parallel": row.parallel or None}
    if row.queue_item:
        facts |= {"mode": "pinned", "queue_item": row.queue_item, "queue_index": row.queue_index, "queue_total": row.queue_total}
        facts |= {"unblock_target": row.unblock_target or None}
        facts["unblock_depth"] = row.unblock_depth if row.unblock_target else None
    facts["trace"] = row.trace
    return msgspec.json.encode({name: value for name, value in facts.items() if value is not None})
