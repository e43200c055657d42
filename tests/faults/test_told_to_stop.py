"""Told to stop in the middle of anything: nothing of its tree lives on, and the end is told truly (loop-peers C2-2 to C2-6)."""

from __future__ import annotations

import pytest

from tests.torture import stops

CHOSEN = (
    *(f"STOP@{where}" for where in stops.WHERES),
    *(f"{kind}@phase" for kind in stops.KINDS if kind != "STOP"),
    "KILL@gate",
    "SIGINT-twice@take-back",
    "SIGTERM@parking",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHOSEN)
def test_everything_ends(name: str) -> None:
    kind, _, where = name.partition("@")
    assert stops.run(stops.Case(kind, where)).wrong == ()
