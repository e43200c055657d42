"""Noise: a failing check speaks only after it has failed twice, and only if it did not fail before the work as well.

Reports of gates that were red for reasons of their own outnumber real regressions (loop-peers B-G5, B-G6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentops.core.judging import Finding, FindingKind

SUSPECT = frozenset({FindingKind.GOAL, FindingKind.COMMAND})
"""Findings that are run again before they count."""


def suspects(found: Mapping[str, Sequence[Finding]]) -> dict[str, frozenset[str]]:
    """Per check, the subjects that must fail again to be believed; checks without any are left out."""
    by_check = {name: frozenset(one.subject for one in findings if one.kind in SUSPECT) for name, findings in found.items()}
    return {name: subjects for name, subjects in by_check.items() if subjects}


def weigh(
    found: Mapping[str, Sequence[Finding]],
    again: Mapping[str, frozenset[str]],
    before: Mapping[str, frozenset[str]],
) -> tuple[Finding, ...]:
    """All findings, with those that a rerun or the start's tree explains turned into `flaky` and `environment`.

    `again`: subjects that failed once more on the same tree; `before`: those of them that also fail on the restored tree.
    """
    weighed: list[Finding] = []
    for name, findings in found.items():
        for one in findings:
            if one.kind not in SUSPECT:
                weighed.append(one)
            elif one.subject not in again.get(name, frozenset()):
                weighed.append(
                    Finding(FindingKind.FLAKY, one.subject, f"failed once, then passed on the same tree: {one.detail}")
                )
            elif one.subject in before.get(name, frozenset()):
                weighed.append(Finding(FindingKind.ENVIRONMENT, one.subject, f"fails on the start's tree as well: {one.detail}"))
            else:
                weighed.append(one)
    return tuple(weighed)
