"""Judging a cycle: checks, then a second look at what fails, then the pure verdict (evolve.md section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agentops.core.events import Event
from agentops.core.fitness import Fitness
from agentops.core.journals import Step
from agentops.core.judging import Again, Check, Finding, FindingKind, Verdict
from agentops.core.places import Effect, Start
from agentops.core.stops import Scope
from agentops.core.work import Attempt, Claimed, WorkItem
from agentops.evolve.own_files import OUR_FILES
from agentops.evolve.parts import Parts
from agentops.gate.directive_check import DirectiveCheck
from agentops.gate.goals import GoalsCheck
from agentops.gate.integrity import IntegrityCheck
from agentops.gate.noise import NOISE, joined, suspects, weigh
from agentops.gate.own_check import OwnCheck
from agentops.gate.verdict import Facts, decide
from agentops.policy.settings import Keep

Red = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged. `touched`: our own records that the cycle had changed; they have been put back.

    `red`: what is known to fail on the start's tree already, as (check, subject); it is not run again to be believed.
    `new_items`: work items that the cycle added to the queue.
    """

    item: WorkItem
    start: Start
    attempt: Attempt
    effect: Effect
    before: Fitness | None
    touched: frozenset[str] = frozenset()
    red: Red = frozenset()
    new_items: int = 0


@dataclass(frozen=True, slots=True)
class Judged:
    """`after`: the goals measured on the cycle's result, where they were. `red`: what fails on the start's tree as well."""

    verdict: Verdict
    after: Fitness | None
    red: Red = frozenset()


def judge(case: Case, parts: Parts, scope: Scope) -> Judged:
    """Findings of every check, doubted twice, and the verdict on them. A stop meanwhile makes it `interrupted`."""
    changed = bool(set(case.effect.paths) - case.effect.kept_anyway) or bool(case.effect.commits)
    checks = parts.gate.checks(case.item, case.before, case.touched)
    findings: tuple[Finding, ...] = ()
    red: Red = frozenset()
    if scope.stopped() is None:
        looking = [check for check in checks if changed or _looks_at_nothing(check, case)]
        findings, red = _doubted(case, looking, parts, scope)
    findings += tuple(Finding(FindingKind.NOTE, case.attempt.worker, doubt) for doubt in case.attempt.doubts)
    facts = Facts(
        attempt=case.attempt,
        findings=findings,
        changed=changed,
        harvested=case.new_items > 0,
        own_check=case.item.check is not None,
        interrupted=scope.stopped() is not None or any(run.stop is not None for run in case.attempt.runs),
        contested=bool(case.effect.contested),
        keep_partial=parts.settings.keep is Keep.PARTIAL,
        require_gate=parts.settings.require_gate,
    )
    after = next((check.after for check in checks if isinstance(check, GoalsCheck)), None)
    return Judged(decide(facts), after, red)


def _looks_at_nothing(check: Check, case: Case) -> bool:
    """Without an effect only tampering is looked for, and a claim that the target is true already."""
    if isinstance(check, IntegrityCheck):
        return True
    return isinstance(check, GoalsCheck | OwnCheck | DirectiveCheck) and case.attempt.claimed in (
        Claimed.ALREADY_DONE,
        Claimed.DONE,
    )


def _doubted(case: Case, checks: Sequence[Check], parts: Parts, scope: Scope) -> tuple[tuple[Finding, ...], Red]:
    """All findings, those that noise or the start's tree explains marked as such; and what fails there as well."""
    found: dict[str, Sequence[Finding]] = {}
    for check in checks:
        found[check.name] = tuple(check.findings(case.start, case.effect, parts.place, scope))
        if any(one.kind is FindingKind.TAMPERED for one in found[check.name]):
            return tuple(found[check.name]), frozenset()  # nothing that a tampered tree says is worth running
        if scope.stopped() is not None:
            return (), frozenset()
    found["mutating"] = _tidied(case, parts)
    doubted = suspects(found)
    known = {name: frozenset(one for one in subjects if (name, one) in case.red) for name, subjects in doubted.items()}
    again = _again({name: doubted[name] - known[name] for name in doubted}, checks, parts, scope)
    still = {name: seen.failing for name, seen in again.items() if seen.failing}
    before = _probed(case, still, checks, parts, scope) if still and scope.stopped() is None else {}
    weighed = weigh(found, joined(again, known), joined(before, known))
    for one in weighed:
        if one.kind in NOISE:
            parts.telemetry.flaked(case.start.cycle, one)
    parts.events.emit(
        Event.CHECKED,
        cycle=case.start.cycle,
        findings=[(one.kind, one.subject, one.detail) for one in weighed if one.kind is not FindingKind.RAN],
        passed=sum(one.kind is FindingKind.RAN for one in weighed),
    )
    red = frozenset((name, one) for name, seen in joined(before, known).items() for one in seen.failing)
    return weighed, red


def _tidied(case: Case, parts: Parts) -> tuple[Finding, ...]:
    """What the gate's own runs changed in the tree is put back and named; it is no effect of the cycle."""
    mutated = parts.place.tidy(case.effect.post, OUR_FILES)
    return tuple(Finding(FindingKind.NOTE, path, "changed by a check; put back") for path in sorted(mutated))


def _again(subjects: Mapping[str, frozenset[str]], checks: Sequence[Check], parts: Parts, scope: Scope) -> dict[str, Again]:
    return {
        check.name: check.again(subjects[check.name], parts.place, scope)
        for check in checks
        if subjects.get(check.name) and scope.stopped() is None
    }


def _probed(
    case: Case, still: Mapping[str, frozenset[str]], checks: Sequence[Check], parts: Parts, scope: Scope
) -> dict[str, Again]:
    """The same checks on the start's tree: the effect is set aside for them and brought back, journalled around it."""
    parts.journal.note(Step.PROBE, cycle=case.start.cycle)
    parts.place.set_aside(case.start, case.effect)
    try:
        before = _again(still, checks, parts, scope)
        parts.place.tidy(case.start.pre, OUR_FILES)
    finally:
        parts.place.bring_back(case.start, case.effect)
    parts.events.emit(
        Event.PROBED, cycle=case.start.cycle, fails_before=sorted(one for seen in before.values() for one in seen.failing)
    )
    return before


def without_verdict(attempt: Attempt) -> Attempt:
    """The attempt as the journal keeps it: the texts of its runs live in transcripts, not in every line."""
    return replace(attempt, runs=tuple(replace(run, text=run.text[-500:]) for run in attempt.runs))
