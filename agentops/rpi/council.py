"""Upstream's council reports as a phase's word: which files count, and that an old one never does.

Upstream takes the newest by name, so a report of an earlier run could pass this run's gate (agentops L13). Here a report
counts only when it appeared or changed while the phase ran; no clock is asked (design-review 21).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.host.files import stamp
from agentops.rpi.verdicts import Phase

COUNCIL = os.path.join(".agents", "council")
_NAMES = {Phase.DISCOVERY: ("pre-mortem",), Phase.VALIDATION: ("vibe", "validation")}

Stamps = Mapping[str, tuple[int, int, int] | None]


def stamps(folder: str) -> dict[str, tuple[int, int, int] | None]:
    """The reports that are there, by name."""
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    return {name: stamp(os.path.join(folder, name)) for name in names if name.endswith(".md")}


def fresh(before: Stamps, now: Stamps, phase: Phase) -> list[str]:
    """Names of the reports that speak for this phase, the one that decides first. Pure."""
    words = _NAMES.get(phase, ())
    ours = [name for name in now if any(word in name.lower() for word in words) and "post-mortem" not in name.lower()]
    return sorted((name for name in ours if name not in before or before[name] != now[name]), reverse=True)
