"""How many checks run side by side. Pure."""

from __future__ import annotations


class Pace:
    """What checks were seen to need."""
