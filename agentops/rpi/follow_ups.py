"""Follow-ups: work that a phase saw and did not do, as rows of `next-work.jsonl` (agentops 1.1, 1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MOST = 10
"""Of one cycle: an agent that is asked for follow-ups would always find one more (agentops L8)."""
_TITLE = 160
_TEXT = 2000
_TYPES = frozenset(
    ("tech-debt", "improvement", "pattern-fix", "process-improvement", "feature", "bug", "task", "docs", "chore"),
)
_SEVERITIES = frozenset(("high", "medium", "low"))
_NO_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """`kind` and `severity` are words of upstream's row format; `files`: repository paths that it is about."""

    title: str
    description: str = ""
    kind: str = "task"
    severity: str = "medium"
    evidence: str = ""
    files: tuple[str, ...] = ()

    @property
    def dedup_key(self) -> str:
        """Equal for titles that differ in case, blanks and punctuation only; letters are those of every script."""
        return f"finding-generator|phases|{_NO_LETTERS.sub('-', self.title.lower()).strip('-') or self.title}"


def read_follow_ups(value: object) -> tuple[FollowUp, ...]:
    """The `follow_ups` of a verdict: texts or objects. What has no title is left out, a word that is none is replaced."""
    listed = value if isinstance(value, list) else []
    found = [one for one in map(_one, listed[: 5 * MOST]) if one is not None]
    return to_harvest(found, "")


def to_harvest(found: Iterable[FollowUp], title: str) -> tuple[FollowUp, ...]:
    """At most `MOST`, each once, and never the work itself under the name of a follow-up."""
    once: dict[str, FollowUp] = {}
    for one in found:
        if one.dedup_key != FollowUp(title).dedup_key:
            once.setdefault(one.dedup_key, one)
    return tuple(once.values())[:MOST]


def entry(found: Iterable[FollowUp], *, epic: str, timestamp: str, repo: str | None = None) -> dict[str, object]:
    """One row of the queue. `epic`: the run that found them; `repo`: the repository's name, absent when not known."""
    return {
        "source_epic": epic,
        "timestamp": timestamp,
        "items": [_item(one, repo) for one in found],
        "consumed": False,
        "claim_status": "available",
        "claimed_by": None,
        "claimed_at": None,
        "consumed_by": None,
        "consumed_at": None,
    }


def _item(one: FollowUp, repo: str | None) -> dict[str, object]:
    plain: dict[str, object] = {
        "title": one.title,
        "type": one.kind,
        "severity": one.severity,
        "source": "council-finding",
        "description": one.description or one.title,
    }
    if one.evidence:
        plain["evidence"] = one.evidence
    # What is about the way of working concerns every repository; the rest only this one (agentops 1.10).
    target = "*" if one.kind == "process-improvement" else repo
    if target:
        plain["target_repo"] = target
    if one.files:
        plain["target_files"] = list(one.files)
    return plain | {"consumed": False, "claim_status": "available", "dedup_key": one.dedup_key}


def _one(value: object) -> FollowUp | None:
    if isinstance(value, str):
        title = _line(value)
        return FollowUp(title, value.strip()[:_TEXT]) if title else None
    if not isinstance(value, dict):
        return None
    title = _line(str(value.get("title") or value.get("summary") or ""))
    if not title:
        return None
    files = value.get("files") or value.get("target_files")
    return FollowUp(
        title,
        str(value.get("description") or "").strip()[:_TEXT],
        _word(value.get("type"), _TYPES, "task"),
        _word(value.get("severity"), _SEVERITIES, "medium"),
        str(value.get("evidence") or "").strip()[:_TEXT],
        tuple(str(one)[:300] for one in files[:20]) if isinstance(files, list) else (),
    )


def _line(text: str) -> str:
    return " ".join(text.split())[:_TITLE].strip()


def _word(value: object, allowed: frozenset[str], usual: str) -> str:
    word = str(value).strip().lower()
    return word if word in allowed else usual
