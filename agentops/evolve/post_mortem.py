"""What the end of a session learns by rules alone: pure, no agent is asked (evolve.md section 1).

A follow-up is written only where it can help: what a worker can mend is offered to the next session; what needs a person's
word is written down as held, so that three fruitless tries do not become six. Never more than a handful, each once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from agentops.core.fitness import Fitness
from agentops.core.judging import FindingKind
from agentops.evolve.report import FollowUp
from agentops.evolve.tally import Trouble

MOST = 10
"""Follow-ups of one session; a queue that fills by itself is read by nobody."""
TWICE = 2
_SAID = 300


def follow_ups(
    troubles: Collection[Trouble], rests: Mapping[str, str], quarantined: Collection[str], after: Fitness | None
) -> tuple[FollowUp, ...]:
    """The most urgent first. `rests`: targets that are left alone, with the reason, those in quarantine among them; `after`:
    the last measurement.
    """
    found = [
        *_gate_errors(troubles),
        *noise(troubles),
        *_mutating(after),
        *_broken(after),
        *_resting(rests, quarantined),
    ]
    return tuple(found[:MOST])


def _gate_errors(troubles: Collection[Trouble]) -> Iterable[FollowUp]:
    """A check that could not do its work makes good work be thrown away; often a tool or a limit that only a person sets."""
    for subject, seen in _by_subject(troubles, FindingKind.GATE_ERROR).items():
        if len(seen) >= TWICE:
            yield FollowUp(
                key=f"post-mortem|gate-error|{subject}",
                title=f"Make {_named(subject)} able to do its work",
                type="bug",
                severity="high",
                description=(
                    f"{_named(subject)} timed out, ran out of memory or lacked a tool: work was taken back that may have been "
                    "good. Install what is missing, raise its time limit, or make it faster."
                ),
                evidence=_evidence(seen),
                for_person=True,
            )


def noise(troubles: Collection[Trouble]) -> Iterable[FollowUp]:
    """Once may be chance; a check that was flaky in two cycles will be so again."""
    for subject, seen in _by_subject(troubles, FindingKind.FLAKY).items():
        if len(seen) >= TWICE:
            yield FollowUp(
                key=f"post-mortem|flaky|{subject}",
                title=f"Make {_named(subject)} give the same answer every time",
                type="bug",
                severity="medium",
                description=f"{_named(subject)} failed, then passed on the same tree. Find out what it depends on; remove that.",
                evidence=_evidence(seen),
            )


def _mutating(after: Fitness | None) -> Iterable[FollowUp]:
    """A check that writes into the tree costs a restore every time, and hides what the work changed."""
    if after is not None and after.mutating:
        paths = ", ".join(after.mutating[:5])
        yield FollowUp(
            key=f"post-mortem|mutating|{after.mutating[0]}",
            title="Keep the goals' checks from changing files",
            type="tech-debt",
            severity="low",
            description="Measuring the goals changed files of the repository. Let the checks write elsewhere, or ignore them.",
            evidence=f"changed by measuring: {paths}",
        )


def _broken(after: Fitness | None) -> Iterable[FollowUp]:
    """Mending a goal's check is the owner's: a worker that does it changes what judges it."""
    for goal in after.goals if after is not None else ():
        if goal.broken:
            yield FollowUp(
                key=f"post-mortem|broken|{goal.goal_id}",
                title=f"Mend the check of the goal `{goal.goal_id}`",
                type="bug",
                severity="medium",
                description=f"The check of `{goal.goal_id}` cannot run, so that the goal says nothing.",
                evidence=_short(goal.output) or "it ended as a missing command or a syntax error",
                for_person=True,
            )


def _resting(rests: Mapping[str, str], quarantined: Collection[str]) -> Iterable[FollowUp]:
    for target, why in rests.items():
        if target in quarantined:
            yield FollowUp(
                key=f"post-mortem|quarantined|{target}",
                title=f"Find out what undoes `{target}`",
                type="bug",
                severity="high",
                description=(
                    f"`{target}` was mended and failed again, over and over: something undoes it, or two goals ask for opposite "
                    "things. Change the check, or what undoes it."
                ),
                evidence=_short(why),
                for_person=True,
            )
            continue
        yield FollowUp(
            key=f"post-mortem|resting|{target}",
            title=f"Find out why `{target}` resists",
            type="improvement",
            severity="medium",
            description=(
                f"Three tries in a row on `{target}` did not help. It may be too large for one cycle, or its check may ask for "
                "what cannot be had: split it, give it a hint or a `Fix`, or change the check."
            ),
            evidence=_short(why),
            for_person=True,
        )


def _by_subject(troubles: Collection[Trouble], kind: FindingKind) -> dict[str, list[Trouble]]:
    """Troubles of one kind, one a cycle, by what was checked; those that happened most often first."""
    seen: dict[str, dict[int, Trouble]] = defaultdict(dict)
    for one in troubles:
        if one.kind is kind:
            seen[one.subject].setdefault(one.cycle, one)
    found = {subject: list(by_cycle.values()) for subject, by_cycle in seen.items()}
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))


def _named(subject: str) -> str:
    """A check by its name; gate commands have numbers."""
    return f"the gate command {subject}" if subject.isdecimal() else f"the check `{subject}`"


def _evidence(seen: list[Trouble]) -> str:
    cycles = ", ".join(str(one.cycle) for one in seen[:10])
    return f"cycles {cycles}: {_short(seen[-1].detail)}"


def _short(text: str) -> str:
    told = " ".join(text.split())
    return told if len(told) <= _SAID else told[: _SAID - 1] + "…"
