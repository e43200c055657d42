"""The settings of one run of `ao evolve`, each with the default that a night needs.

Hours and attempts are capped by default; cycles, money and tokens are not, and the start lines say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Isolation(StrEnum):
    """Where the work happens. `auto` is the strongest place that works here."""

    AUTO = "auto"
    IN_PLACE = "in-place"


class SandboxMode(StrEnum):
    """`auto`: the strongest level that works; `strict`: refuse below `bwrap`; `off`: process group only."""

    AUTO = "auto"
    STRICT = "strict"
    OFF = "off"


class Keep(StrEnum):
    """What becomes of work whose target did not move."""

    REACHED = "reached"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Settings:
    """`until` is a wall-clock time in seconds since the epoch; `hours` is working time; limits of a phase are seconds.

    `agent` None: the first that is installed; `fallback`: who takes over where it is limited; `phase_agents`: by phase;
    `agent_tables`: `[agents.NAME]`, each with where it stands.
    `gate_commands` None: what the repository's build systems offer; empty: goals only. `repo_filter`: whose work items are
    wanted; None for this repository's, empty for everybody's. `notices`: what reading the configuration had to say, for the
    start lines. `prompts_dir`: templates that replace ours; a relative path is the repository's.
    """

    max_cycles: int | None = None
    hours: float = 10.0
    until: float | None = None
    max_usd: float | None = None
    max_tokens: int | None = None
    agent: str | None = None
    agent_command: tuple[str, ...] = ()
    fallback: tuple[str, ...] = ()
    phase_agents: Mapping[str, str] = field(default_factory=dict)
    agent_tables: Mapping[str, tuple[Mapping[str, Any], str]] = field(default_factory=dict)
    preflight: bool = True
    phase_timeout: float = 90 * 60.0
    idle_timeout: float = 15 * 60.0
    attempts: int = 3
    test_first: bool = True
    isolation: Isolation = Isolation.AUTO
    sandbox: SandboxMode = SandboxMode.AUTO
    keep: Keep = Keep.REACHED
    require_gate: bool = False
    strict_exit: bool = False
    run_hooks: bool = False
    dry_run: bool = False
    skip_baseline: bool = False
    detached: bool = False
    gate_timeout: float = 20 * 60.0
    clear_quarantine: bool = False
    gate_commands: tuple[str, ...] | None = None
    gate_network: bool = True
    masked: tuple[str, ...] = ()
    prompts_dir: str | None = None
    on_end: tuple[str, ...] = ()
    queue: str | None = None
    repo_filter: str | None = None
    notices: tuple[str, ...] = ()
    stay_awake: bool = True
