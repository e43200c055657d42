"""The tables and keys that a configuration may have, each with its type and its default (docs/configuration.md).

Limits that nobody set are None; that is "no limit", or what the command line's own default says. A key whose value
decides what is *run* from a file that came with a clone is named in `NEEDS_TRUST`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any

from msgspec import Meta

from agentops.policy.settings import Isolation, SandboxMode

Text = Annotated[str, Meta(min_length=1, description="a text that is not empty")]
Amount = Annotated[float, Meta(gt=0, le=1e9, description="a number above 0")]
"""Finite and above zero: no number says that a night has no limit."""
Count = Annotated[int, Meta(gt=0, le=10**15, description="a whole number above 0")]
Push = Annotated[str, Meta(pattern="^(never|end|every-[1-9][0-9]{0,3})$", description="never, end or every-N")]
Table = Mapping[str, Any]
Row = Mapping[str, Any]


def _nothing() -> Table:
    return MappingProxyType({})


class Dirty(StrEnum):
    """Whether an overlay shows the person's uncommitted files to the agent."""

    HIDE = "hide"
    SHOW = "show"


class Landing(StrEnum):
    """What happens to the commits of kept work (upstream's words)."""

    OFF = "off"
    COMMIT = "commit"
    SYNC_PUSH = "sync-push"


@dataclass(frozen=True, slots=True)
class AgentTable:
    """Who does what no remedy can. `command` is the program behind the name `command`, split without a shell."""

    use: tuple[Text, ...] = field(default=(), metadata={"split": ","})
    fallback: tuple[Text, ...] = field(default=(), metadata={"split": ","})
    command: tuple[Text, ...] = field(default=(), metadata={"split": "words"})
    discovery: Text | None = None
    implementation: Text | None = None
    validation: Text | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Working time in minutes, money in US dollars, tokens, agent turns."""

    minutes: Amount | None = None
    usd: Amount | None = None
    tokens: Count | None = None
    turns: Count | None = None


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """One budget a span."""

    cycle: Budget = Budget()
    session: Budget = Budget()
    day: Budget = Budget()


@dataclass(frozen=True, slots=True)
class GateTable:
    """`commands` None: what the repository's build systems offer; an empty list: goals only."""

    commands: tuple[Text, ...] | None = None
    fast: tuple[Text, ...] = ()
    network: bool = True
    require: bool = False


@dataclass(frozen=True, slots=True)
class PlaceTable:
    """Where work happens."""

    isolation: Isolation = Isolation.AUTO
    dirty: Dirty = Dirty.HIDE
    setup: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class SandboxTable:
    """How strongly process trees are held, and what they may write or not see."""

    level: SandboxMode = SandboxMode.AUTO
    writable: tuple[Text, ...] = field(default=(), metadata={"split": ":"})
    masked: tuple[Text, ...] = field(default=(), metadata={"split": ":"})


@dataclass(frozen=True, slots=True)
class LandingTable:
    """What happens to kept commits. `push`: `never`, `every-N` or `end`."""

    policy: Landing = Landing.OFF
    branch: Text | None = None
    push: Push = "never"


@dataclass(frozen=True, slots=True)
class QueueTable:
    """`file`: what `--queue` names; `repo`: what `--repo-filter` says."""

    file: Text | None = None
    repo: str | None = None


@dataclass(frozen=True, slots=True)
class PromptsTable:
    """`dir`: templates of the repository's own, which stand before ours."""

    dir: Text | None = None


@dataclass(frozen=True, slots=True)
class HooksTable:
    """`on_end`: a program and its arguments, split without a shell; it gets the report as JSON on its stdin."""

    on_end: tuple[Text, ...] = field(default=(), metadata={"split": "words"})


@dataclass(frozen=True, slots=True)
class Tables:
    """A whole configuration. The free tables are checked by those who read them."""

    agent: AgentTable = AgentTable()
    agents: Mapping[str, Table] = field(default_factory=_nothing)
    budget: BudgetTable = BudgetTable()
    gate: GateTable = GateTable()
    place: PlaceTable = PlaceTable()
    sandbox: SandboxTable = SandboxTable()
    landing: LandingTable = LandingTable()
    queue: QueueTable = QueueTable()
    prompts: PromptsTable = PromptsTable()
    hooks: HooksTable = HooksTable()
    schedule: tuple[Row, ...] = ()
    daemon: Table = field(default_factory=_nothing)
    rates: Mapping[str, Any] = field(default_factory=_nothing)


FREE = frozenset({"agents", "daemon", "rates"})
"""Tables whose keys are names of the person's own choosing; each entry is one value, never mixed from two files."""

LISTS = frozenset({"schedule"})
"""Arrays of tables."""

USER_ONLY = frozenset({"daemon", "rates"})
"""What speaks about a person's machine and money has no place in a repository."""

NEEDS_TRUST = ("agent.command", "agents.", "hooks.on_end", "place.setup", "schedule")
"""Keys that name programs to run (a trailing dot: every entry of that table)."""

MASKED = "sandbox.masked"
LOOSER: Mapping[str, tuple[object, ...]] = {"sandbox.level": (SandboxMode.AUTO, SandboxMode.OFF), "gate.network": (True,)}
"""Values that need the person's word as programs do: with them a clone would loosen what its own checks run in."""

NO_EFFECT = (
    "budget.cycle.",
    "budget.day.",
    "budget.session.turns",
    "daemon.",
    "gate.fast",
    "landing.",
    "place.dirty",
    "place.setup",
    "queue.file",
    "rates.",
    "sandbox.writable",
    "schedule",
)
"""What is read and checked but acted on by nothing yet: whoever makes it work takes it off this list."""


def names(key: str, patterns: tuple[str, ...]) -> bool:
    """Whether the dotted key is one of these, or lies below one that ends with a dot."""
    return any(key == one or (one.endswith(".") and key.startswith(one)) for one in patterns)
