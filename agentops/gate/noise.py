"""Noise: a failing check speaks only after it has failed twice, and only if it did not fail before the work as well.

Reports of gates that were red for reasons of their own outnumber real regressions (loop-peers B-G5, B-G6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentops.core.judging import Again, Finding, FindingKind

SUSPECT = frozenset({FindingKind.GOAL, FindingKind.COMMAND})
"""Findings that are run again before they count."""


NOISE = frozenset({FindingKind.FLAKY, FindingKind.ENVIRONMENT})
"""What is no fault of the work and worth a line in the flake ledger."""


def suspects(found: Mapping[str, Sequence[Finding]]) -> dict[str, frozenset[str]]:
    """Per check, the subjects that must fail again to be believed; checks without any are left out."""
    by_check = {name: frozenset(one.subject for one in findings if one.kind in SUSPECT) for name, findings in found.items()}
    return {name: subjects for name, subjects in by_check.items() if subjects}


def joined(seen: Mapping[str, Again], known: Mapping[str, frozenset[str]]) -> dict[str, Again]:
    """What was run once more, and what is known to fail without being run."""
    names = seen.keys() | known.keys()
    both = {name: (seen.get(name, Again()), known.get(name, frozenset())) for name in names}
    return {name: Again(again.failing | more, again.unclear) for name, (again, more) in both.items()}


def weigh(found: Mapping[str, Sequence[Finding]], again: Mapping[str, Again], before: Mapping[str, Again]) -> tuple[Finding, ...]:
    """All findings, with those that a rerun or the start's tree explains turned into `flaky` and `environment`.

    `again`: the suspects run once more on the same tree; `before`: what still failed, run on the restored tree. One that
    could not do its work in either of them is an error of the gate: it proves nothing.
    """
    return tuple(
        _weighed(one, again.get(name, Again()), before.get(name, Again())) if one.kind in SUSPECT else one
        for name, findings in found.items()
        for one in findings
    )


def _weighed(one: Finding, again: Again, before: Again) -> Finding:
    if one.subject in again.unclear or one.subject in before.unclear:
        return Finding(FindingKind.GATE_ERROR, one.subject, f"failed once, then could not do its work: {one.detail}")
    if one.subject not in again.failing:
        return Finding(FindingKind.FLAKY, one.subject, f"failed once, then passed on the same tree: {one.detail}")
    if one.subject in before.failing:
        return Finding(FindingKind.ENVIRONMENT, one.subject, f"fails on the start's tree as well: {one.detail}")
    return one
