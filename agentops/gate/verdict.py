"""The verdict on a cycle: a pure function of facts, compared with the start of the cycle (evolve.md sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agentops.core.judging import Finding, FindingKind, Reason, ReasonKind, Result, Verdict
from agentops.core.processes import Ended
from agentops.core.work import Attempt, Claimed

MOVED_WORD = "moved"
MOVED = str(Reason(ReasonKind.TARGET_REACHED, MOVED_WORD))
"""A value that moved in the right direction and has not arrived: working on it again is no falling back."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a verdict depends on.

    `changed`: the effect holds anything outside the files that are kept anyway. `harvested`: it holds new work items.
    `own_check`: the item has a check of its own. `interrupted`: a stop ended the cycle. `contested`: someone else changed
    what the cycle changed, known before settling.
    """

    attempt: Attempt
    findings: tuple[Finding, ...]
    changed: bool
    harvested: bool = False
    own_check: bool = True
    interrupted: bool = False
    contested: bool = False
    keep_partial: bool = False
    require_gate: bool = False


_UNFINISHED = frozenset({Claimed.BLOCKED, Claimed.PARTIAL, Claimed.FAIL, Claimed.ALREADY_DONE})
"""Claims that complete nothing by themselves. ALREADY_DONE is one: only the item's own check confirms it."""


def decide(facts: Facts) -> Verdict:
    """The first rule that applies decides; their order is the order of what can be trusted least."""
    if facts.interrupted:
        return _unchanged(facts, ReasonKind.INTERRUPTED)
    if facts.contested:
        return _unchanged(facts, ReasonKind.CONTESTED)
    if tampered := _first(facts.findings, FindingKind.TAMPERED):
        return _regressed(facts, ReasonKind.TAMPERED, tampered.subject)
    if not facts.changed:
        return _without_effect(facts)
    if _first(facts.findings, FindingKind.GATE_ERROR):
        return _unchanged(facts, ReasonKind.GATE_ERROR)
    if broken := _first(facts.findings, FindingKind.GOAL):
        return _regressed(facts, ReasonKind.GOAL, broken.subject)
    if failed := _first(facts.findings, FindingKind.COMMAND):
        return _regressed(facts, ReasonKind.COMMAND, failed.subject)
    if unfinished := _unfinished(facts):
        return unfinished
    return _on_the_target(facts) if facts.own_check else _without_own_check(facts)


def _without_effect(facts: Facts) -> Verdict:
    """Nothing changed: harvested follow-ups, an honest reason, or a run that did nothing (loop-peers B-H15)."""
    claimed = facts.attempt.claimed
    if claimed is Claimed.SCOPE_ESCAPE:
        return _unchanged(facts, ReasonKind.SCOPE_ESCAPE)
    if claimed is Claimed.ALREADY_DONE and _reached(facts):
        return _unchanged(facts, ReasonKind.ALREADY_DONE)
    if facts.harvested and claimed not in _UNFINISHED:
        return Verdict(Result.HARVESTED, Reason(ReasonKind.JUDGED), keep=True, evidence=facts.findings)
    if _first(facts.findings, FindingKind.TARGET_REACHED):
        return _unchanged(facts, ReasonKind.ALREADY_DONE)
    if claimed is Claimed.NOTHING and facts.attempt.ended is not Ended.OK:
        return _agent(facts)
    if claimed in _UNFINISHED:
        return _unchanged(facts, ReasonKind.NOT_DONE)
    return _unchanged(facts, ReasonKind.NO_OP)


def _unfinished(facts: Facts) -> Verdict | None:
    """Work that the worker itself does not call done; only the target's own check may say otherwise."""
    claimed = facts.attempt.claimed
    if claimed is Claimed.NOTHING:
        return _agent(facts)
    if claimed is Claimed.SCOPE_ESCAPE:
        return _unchanged(facts, ReasonKind.SCOPE_ESCAPE)
    reached = facts.own_check and _reached(facts)
    if claimed in _UNFINISHED and not reached:
        if claimed is Claimed.PARTIAL and facts.keep_partial:
            return Verdict(Result.UNCHANGED, Reason(ReasonKind.PARTIAL), keep=True, evidence=facts.findings)
        return _unchanged(facts, ReasonKind.NOT_DONE)
    return None


def _on_the_target(facts: Facts) -> Verdict:
    """`improved` only if the work's own check says so; junk that breaks nothing is no progress (design-review hole B)."""
    if _reached(facts):
        kind = ReasonKind.TARGET_REACHED
        if not _first(facts.findings, FindingKind.TARGET_REACHED):
            return Verdict(Result.IMPROVED, Reason(kind, MOVED_WORD), keep=True, evidence=facts.findings)
        for noise in (FindingKind.FLAKY, FindingKind.ENVIRONMENT):
            if _first(facts.findings, noise):
                kind = ReasonKind(noise.value)
        return Verdict(Result.IMPROVED, Reason(kind), keep=True, evidence=facts.findings)
    if facts.keep_partial:
        return Verdict(Result.UNCHANGED, Reason(ReasonKind.PARTIAL), keep=True, evidence=facts.findings)
    return _unchanged(facts, ReasonKind.TARGET_UNMOVED)


def _without_own_check(facts: Facts) -> Verdict:
    """The validation phase's word, and what else ran, are all there is; the row says which."""
    if _first(facts.findings, FindingKind.RAN):
        return Verdict(Result.IMPROVED, Reason(ReasonKind.JUDGED), keep=True, evidence=facts.findings)
    if facts.attempt.doubts:  # nothing speaks for the work but a word that contradicts itself
        return _unchanged(facts, ReasonKind.NOT_DONE)
    if facts.require_gate:
        return _unchanged(facts, ReasonKind.UNGATED)
    return Verdict(Result.IMPROVED, Reason(ReasonKind.UNGATED), keep=True, evidence=facts.findings)


def _reached(facts: Facts) -> bool:
    return any(found.kind in (FindingKind.TARGET_REACHED, FindingKind.TARGET_MOVED) for found in facts.findings)


def _agent(facts: Facts) -> Verdict:
    return _unchanged(facts, ReasonKind.AGENT, str(facts.attempt.ended))


def _unchanged(facts: Facts, kind: ReasonKind, detail: str = "") -> Verdict:
    return Verdict(Result.UNCHANGED, Reason(kind, detail), keep=False, evidence=facts.findings)


def _regressed(facts: Facts, kind: ReasonKind, detail: str) -> Verdict:
    return Verdict(Result.REGRESSED, Reason(kind, detail), keep=False, evidence=facts.findings)


def _first(findings: Iterable[Finding], kind: FindingKind) -> Finding | None:
    return next((found for found in findings if found.kind is kind), None)
