"""What follows a phase: the next one, the same again with the reason, or the end of the attempt. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentops.core.agents import AgentRun
from agentops.core.processes import PAUSES, Ended
from agentops.core.work import Claimed
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said

HOPELESS = frozenset({Ended.AUTH, Ended.BAD_CONFIG, Ended.SPAWN_ERROR})
"""Ends that a further try can't mend."""
_WENT_WELL = frozenset({Said.PASS, Said.DONE, Said.WARN})
_FINAL = {
    Said.PARTIAL: Claimed.PARTIAL,
    Said.BLOCKED: Claimed.BLOCKED,
    Said.FAIL: Claimed.FAIL,
    Said.ALREADY_DONE: Claimed.ALREADY_DONE,
    Said.WARN: Claimed.PARTIAL,
}


@dataclass(frozen=True, slots=True)
class Went:
    """One phase that was run. `refuted`: it said ALREADY_DONE and the item's own check says otherwise, in its words."""

    phase: Phase
    run: AgentRun
    verdict: PhaseVerdict | None
    refuted: str | None = None


@dataclass(frozen=True, slots=True)
class Next:
    """Run this phase. `reason`: what its prompt is told about the last one; `again`: because that did not go through."""

    phase: Phase
    reason: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Over:
    """The attempt is decided. `parked`: a limit interrupted the phase, nothing is charged."""

    claimed: Claimed = Claimed.NOTHING
    parked: bool = False


def after(went: Went, tries: Mapping[Phase, int], most: int) -> Next | Over:
    """`tries`: how often each phase was run in this cycle, this run counted; `most` is for each of them."""
    phase, run, verdict = went.phase, went.run, went.verdict
    if run.stop is not None:
        return Over()
    if verdict is None:  # a verdict beats the way in which the run ended
        if run.ended in HOPELESS:
            return Over()
        if run.ended in PAUSES and run.retry_at is not None:
            return Over(parked=True)
        said = f"It ended with `{run.ended}` and gave no verdict" + (f": {run.error}" if run.error else ".")
        return Over() if tries[phase] >= most else Next(phase, said, again=True)
    match phase, verdict.said:
        case _, Said.SCOPE_ESCAPE:
            return Over(Claimed.SCOPE_ESCAPE)
        case _, Said.ALREADY_DONE if went.refuted is None:
            return Over(Claimed.ALREADY_DONE)
        case Phase.VALIDATION, Said.PASS | Said.DONE | Said.WARN:
            return Over(Claimed.DONE)
        case Phase.DISCOVERY, Said.PASS | Said.DONE | Said.WARN:
            return Next(Phase.IMPLEMENTATION)
        case Phase.IMPLEMENTATION, Said.PASS | Said.DONE:
            return Next(Phase.VALIDATION, "\n".join(verdict.doubts))
    again = Phase.DISCOVERY if phase is Phase.DISCOVERY else Phase.IMPLEMENTATION
    return Over(_FINAL[verdict.said]) if tries[again] >= most else Next(again, why(went), again=True)


def why(went: Went) -> str:
    """Why a phase has to be done again, for the prompt of the next try."""
    if went.verdict is None:
        return ""
    said = went.verdict.said
    if went.refuted is not None:
        return f"You said {said}, and the check of this work still fails:\n{went.refuted}"
    return "\n".join((f"{went.phase} said {said}.", went.verdict.summary, *went.verdict.findings)).strip()


def succeeded(went: Went) -> bool:
    """Whether the phase as such went well; the work may still be taken back."""
    return went.verdict is not None and went.refuted is None and went.verdict.said in (_WENT_WELL | {Said.ALREADY_DONE})
