"""The supervisor's own files below `.agents/`: never part of a cycle's effect, put back when a cycle changed them."""

from __future__ import annotations

import os
from dataclasses import replace

from agentops.core.places import Effect
from agentops.tree.changes import NEXT_WORK

LEDGER = ".agents/evolve/cycle-history.jsonl"
FITNESS = ".agents/evolve/fitness-latest.json"
FITNESS_AFTER = ".agents/evolve/fitness-latest-post.json"
SESSION_STATE = ".agents/evolve/session-state.json"
TELEMETRY = ".agents/ao/skill-telemetry.jsonl"
UPSTREAM_LOCK = ".agents/rpi/supervisor.lock"

RECORDS = (LEDGER, SESSION_STATE, TELEMETRY)
"""Not written between a cycle's first snapshot and its verdict: after a crash what differs in them is the cycle's doing."""
GUARDED = (LEDGER, FITNESS, FITNESS_AFTER, SESSION_STATE, TELEMETRY)
BASELINES = ".agents/evolve/fitness-baselines/"
"""A folder: the first measurement of a goals era is written into it between a cycle's snapshot and its work."""
DELTA = ".agents/evolve/session-fitness-delta.md"
SUMMARY = ".agents/evolve/session-summary.md"
QUALITY = ".agents/evolve/quality-trajectory.md"
STOP = ".agents/evolve/STOP"
KILL = ".agents/rpi/KILL"
OURS = frozenset((*GUARDED, NEXT_WORK, UPSTREAM_LOCK, f"{UPSTREAM_LOCK}.json", DELTA, SUMMARY, QUALITY, STOP, KILL))


class _Ours:
    """Every file for which `is_ours` holds, as something to ask with `in`."""

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and is_ours(path)


OUR_FILES = _Ours()
"""What a look at what checks left behind must leave alone: a folder of ours is more than the files that are known by name."""


def without_ours(effect: Effect) -> Effect:
    """The effect without our own files; a stop file is a person's word and no work."""
    return replace(
        effect,
        paths={path: change for path, change in effect.paths.items() if not is_ours(path)},
        ignored={path: change for path, change in effect.ignored.items() if not is_ours(path)},
        swept=frozenset(path for path in effect.swept if not is_ours(path)),
    )


def is_ours(path: str) -> bool:
    """Whether we write this file ourselves; our temporary neighbours of it count too."""
    return (
        path in OURS
        or path.startswith(BASELINES)
        or (os.path.dirname(path) == ".agents/evolve" and os.path.basename(path).startswith("."))
    )
