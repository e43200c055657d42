"""Moments as the text that files carry: RFC 3339, UTC, whole seconds, a `Z` at the end."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_text(wall: float) -> str:
    """`2026-04-02T10:00:00Z` for seconds since the epoch."""
    return datetime.fromtimestamp(int(wall), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def wall_of(text: str) -> float | None:
    """Seconds since the epoch, also of older rows with offsets such as `-05:00`; None for what is no moment.

    A moment without an offset is taken as UTC. None must never become zero: an epoch of 0 once tripped breakers.
    """
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
