"""Names of sessions and runs: `20261130-2304-a1b2`, and `<session>.<n>` for its n-th start."""

from __future__ import annotations

from datetime import UTC, datetime


def session_id(wall: float, salt: str) -> str:
    """From the start's UTC time and four random hex digits."""
    return f"{datetime.fromtimestamp(wall, UTC):%Y%m%d-%H%M}-{salt}"


def run_id(session: str, number: int) -> str:
    """The n-th start of a session, from 1; carried by `AO_RUN_ID`, reflog marks and refs."""
    return f"{session}.{number}"
