"""What a session's end writes into the work queue, and what it counts there."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agentops.evolve.report import FollowUp
from agentops.records.queue import items, walk
from agentops.records.queue_file import QueueFile
from agentops.records.queue_rows import State, states
from agentops.records.session_files import QualityPoint
from agentops.records.times import utc_text

SOURCE = "retro-learning"
"""A word of both versions of upstream's list; its newer one for findings after the fact is an error in the older."""
FOR_A_PERSON = "human-review"


def quality(file: QueueFile, when: str) -> QualityPoint | None:
    """Open findings of the queue by severity; None where there is no queue. Raises OSError, UnusableFile."""
    data = file.read()
    if not data:
        return None
    found = {"high": 0, "medium": 0}
    for row in walk(data):
        if row.row is None:
            continue
        for item, state in zip(row.row.work(), states(row.row), strict=True):
            if state is not State.CONSUMED and item.severity in found:
                found[item.severity] += 1
    return QualityPoint(when, found["high"], found["medium"])


def harvest(file: QueueFile, found: Sequence[FollowUp], *, epic: str, wall: float, repo: str) -> tuple[FollowUp, ...]:
    """Append those that do not wait there already, as one row; returns them. What was done and happened again is new.

    Raises OSError, UnusableFile.
    """
    fresh = [one for one in found if one.key not in _waiting(file.read(), found)]
    if fresh:
        file.append(
            {
                "source_epic": epic,
                "timestamp": utc_text(wall),
                "items": [_item(one, repo) for one in fresh],
                "consumed": False,
                "claim_status": str(State.AVAILABLE),
                **dict.fromkeys(("claimed_by", "claimed_at", "consumed_by", "consumed_at")),
            }
        )
    return tuple(fresh)


def _waiting(data: bytes, found: Sequence[FollowUp]) -> set[str]:
    """Keys that an open item of the queue carries; the rows are read only where the bytes of a key occur at all."""
    keys = {one.key for one in found if msgspec.json.encode(one.key)[1:-1] in data}
    if not keys:
        return set()
    return {key for item in items(data) if (key := item.text("dedup_key")) in keys and item.state is not State.CONSUMED}


def _item(one: FollowUp, repo: str) -> dict[str, object]:
    plain: dict[str, object] = {
        "title": one.title,
        "type": one.type,
        "severity": one.severity,
        "source": SOURCE,
        "description": one.description,
        "evidence": one.evidence,
        "target_repo": repo,
        "dedup_key": one.key,
        "consumed": False,
        "claim_status": str(State.AVAILABLE),
    }
    if one.for_person:
        plain["requires"] = [FOR_A_PERSON]
    return plain
