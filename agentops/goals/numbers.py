"""A number as a check prints it or a goals file writes it. Pure."""

from __future__ import annotations

import math
import re

_LONGEST = 64
"""Characters; a longer text is no measurement, and matching it could take long."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


def number(text: str) -> float | None:
    """The finite decimal number that the text is; None for anything else (`NaN`, `0x10`, `1_000`, words)."""
    found = text.strip()
    if len(found) > _LONGEST or not _NUMBER.fullmatch(found):
        return None
    value = float(found)
    return value if math.isfinite(value) else None
