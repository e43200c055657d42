"""Upstream's files of one run in phases: execution packet, state of the run, result of a phase (agentops 9.9).

Written for tools that read along; nothing here reads them back but a resumed cycle its own phase results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from agentops.core import wire
from agentops.core.wire import parse, record

SCHEMA = 1
PACKET = "execution-packet.json"
STATE = "phased-state.json"
RESULT = "phase-result.json"
"""A phase's result in its own folder; published as `phase-N-result.json`."""


@dataclass(frozen=True, slots=True)
class TrackerHealth:
    """Whether the issue tracker that gives work could be asked. Without one the mode is `tasklist`."""

    command: str = ""
    error: str = ""
    healthy: bool = False
    mode: str = "tasklist"
    reason: str = "the work comes from goals and queue"


@dataclass(frozen=True, slots=True)
class ExecutionPacket:
    """What discovery hands to the later phases. `validation_commands`: what must pass; `complexity`: fast, standard, full."""

    objective: str
    run_id: str
    schema_version: int = SCHEMA
    epic_id: str = ""
    plan_path: str = ""
    contract_surfaces: tuple[str, ...] = ()
    validation_commands: tuple[str, ...] = ()
    tracker_mode: str = "tasklist"
    tracker_health: TrackerHealth = field(default_factory=TrackerHealth)
    done_criteria: tuple[str, ...] = ()
    complexity: str = "standard"
    pre_mortem_verdict: str = ""
    proof_artifacts: tuple[str, ...] = ()
    evaluator_artifacts: Mapping[str, str] = field(default_factory=dict)
    proof_updated_at: str = ""


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """One run of a phase. `status`: started, completed, retrying, failed. Times are UTC; `error` says why it is done again."""

    run_id: str
    phase: int
    phase_name: str
    status: str
    schema_version: int = SCHEMA
    retries: int = 0
    error: str = ""
    backend: str = ""
    artifacts: tuple[str, ...] = ()
    verdicts: Mapping[str, str] = field(default_factory=dict)
    started_at: str = ""
    completed_at: str = ""
    duration_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class PhasedState:
    """A run as a whole. `terminal_status`: completed (kept), failed (taken back), interrupted; `opts` stays empty."""

    goal: str
    run_id: str
    cycle: int
    phase: int
    terminal_status: str
    terminal_reason: str
    terminated_at: str
    schema_version: int = SCHEMA
    epic_id: str = ""
    tracker_mode: str = "tasklist"
    tracker_reason: str = ""
    start_phase: int = 1
    parent_epic: str = ""
    fast_path: bool = False
    test_first: bool = True
    swarm_first: bool = False
    complexity: str = "standard"
    program_path: str = ""
    verdicts: Mapping[str, str] = field(default_factory=dict)
    attempts: Mapping[str, int] = field(default_factory=dict)
    started_at: str = ""
    worktree_path: str = ""
    orchestrator_pid: int = 0
    backend: str = ""
    opts: Mapping[str, str] = field(default_factory=dict)


def pretty(value: ExecutionPacket | PhaseResult | PhasedState) -> bytes:
    """Indented JSON, as upstream's own files have it."""
    return msgspec.json.format(wire.legible(value), indent=2) + b"\n"


def read_result(raw: bytes) -> PhaseResult | None:
    """A phase's result; None for what is none."""
    try:
        return record(PhaseResult, parse(raw))
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError):
        return None
