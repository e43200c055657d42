"""What discovery hands on, and what is noted of each phase, in upstream's shapes (records/packets.py). Pure."""

from __future__ import annotations

import os

from agentops.core.clock import Instant
from agentops.core.places import Start
from agentops.core.work import WorkItem
from agentops.records.packets import ExecutionPacket, PhaseResult, TrackerHealth
from agentops.records.times import utc_text
from agentops.rpi.phase_folders import session_of
from agentops.rpi.slices import first_wave
from agentops.rpi.steps import Next, Over, Went, succeeded
from agentops.rpi.verdicts import Phase, PhaseVerdict

NUMBER = {phase: number for number, phase in enumerate(Phase, 1)}
GATES = {Phase.DISCOVERY: "pre_mortem", Phase.IMPLEMENTATION: "implement", Phase.VALIDATION: "vibe"}
"""Upstream's names for the three phases' verdicts."""
_TRACKED = frozenset({"beads"})


def upstream_run(start: Start) -> str:
    """What upstream calls a run is one cycle of ours; unique over sessions."""
    return f"{session_of(start.run)}.c{start.cycle}"


def packet_of(item: WorkItem, start: Start, plan: PhaseVerdict | None, home: str, wall: float) -> ExecutionPacket:
    """The execution packet after a discovery that went well. `home`: the folder with its plan; `wall`: now."""
    tracked = item.source in _TRACKED
    wave = first_wave(plan.slices) if plan else None
    surfaces = tuple(dict.fromkeys(file for one in plan.slices for file in one.files)) if plan else ()
    return ExecutionPacket(
        objective=item.title,
        run_id=upstream_run(start),
        epic_id=item.key if tracked else "",
        plan_path=os.path.join(home, "plan.md"),
        contract_surfaces=surfaces,
        validation_commands=(item.check,) if item.check else (),
        tracker_mode="beads" if tracked else "tasklist",
        tracker_health=TrackerHealth("bd ready --json", "", True, "beads", "") if tracked else TrackerHealth(),
        done_criteria=tuple(one.title for one in wave.now) if wave and wave.now else (item.title,),
        complexity=complexity(item, plan),
        pre_mortem_verdict=str(plan.said) if plan else "",
        proof_artifacts=plan.artifacts if plan else (),
        evaluator_artifacts={"phase_1": os.path.join(home, "verdict.json")},
        proof_updated_at=utc_text(wall),
    )


def complexity(item: WorkItem, plan: PhaseVerdict | None) -> str:
    """Upstream's three words by its lengths: over 120 characters, or several slices, is full; over 30 standard."""
    if len(item.title) > 120 or (plan is not None and len(plan.slices) > 1):
        return "full"
    return "standard" if len(item.title) > 30 else "fast"


def result_of(
    went: Went, decided: Next | Over, start: Start, attempt: int, backend: str, began: Instant, ended: Instant
) -> PhaseResult:
    """One run of a phase, as noted. `error` carries the reason for the next try over a pause into another run."""
    if isinstance(decided, Over):
        status = "started" if decided.parked else "completed" if succeeded(went) else "failed"
    else:
        status = "retrying" if decided.again else "completed"
    return PhaseResult(
        run_id=upstream_run(start),
        phase=NUMBER[went.phase],
        phase_name=str(went.phase),
        status=status,
        retries=attempt - 1,
        error=decided.reason if isinstance(decided, Next) and decided.again else went.run.error or "",
        backend=backend,
        artifacts=went.verdict.artifacts if went.verdict else (),
        verdicts={GATES[went.phase]: str(went.verdict.said)} if went.verdict else {},
        started_at=utc_text(began.wall),
        completed_at=utc_text(ended.wall),
        duration_seconds=round(ended.mono - began.mono, 3),
    )
