"""When folders had last changed as a start found them: what we write into them afterwards speaks of nobody's hand.

A path that is missing goes by its folder's time (evolve.md section 8). Taking the lease writes below `.agents`, which may even
have to be made again: everything that a cut-off cycle had deleted beside it then looked as if a person had.
"""

from __future__ import annotations

import os

FOLDERS = ("", ".agents", ".agents/rpi", ".agents/evolve", ".agents/ao")
"""Where we ourselves write, below the top."""
AsFound = dict[bytes, float | None]
"""By absolute path: seconds since the epoch, None for a folder that was not there."""


def as_found(top: str) -> AsFound:
    """To be asked before anything is written."""
    return {path: _changed(path) for path in (os.path.join(os.fsencode(top), os.fsencode(name)).rstrip(b"/") for name in FOLDERS)}


def _changed(path: bytes) -> float | None:
    try:
        facts = os.lstat(path)
    except OSError:
        return None
    return max(facts.st_ctime, facts.st_mtime)
