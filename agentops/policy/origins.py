"""Where a setting came from: a person who wonders at night must be able to find the line that said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class Layer(IntEnum):
    """Who said it; the higher one wins."""

    UPSTREAM_USER = 1
    USER = 2
    UPSTREAM = 3
    UPSTREAM_NAMED = 4  # by AGENTOPS_CONFIG
    REPOSITORY = 5
    ENVIRONMENT = 6


WITH_THE_REPOSITORY = frozenset({Layer.UPSTREAM, Layer.REPOSITORY})
"""Layers that come with a clone: what they name must not run before the person said that it may."""


@dataclass(frozen=True, slots=True)
class Origin:
    """`where` as a person finds it: `ao.toml:3`, `~/.config/ao/config.toml:7`, `AO_GATE_REQUIRE`."""

    layer: Layer
    where: str


@dataclass(frozen=True, slots=True)
class Given:
    """One value, of the type that its key has, and where it was said."""

    value: object
    origin: Origin


Layered = Mapping[str, Given]
"""What one layer says, by dotted key: `gate.commands`, `budget.session.minutes`; free tables by name: `agents.mine`."""
