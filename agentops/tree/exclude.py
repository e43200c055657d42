"""Files of ours under `.agents/` that are local to one checkout never show up in anybody's `git status`."""

from __future__ import annotations

import os
import stat

from agentops.host.files import ensure_folder, write_atomic
from agentops.tree.repository import Repository

_MEASURED = ("fitness-latest.json", "fitness-latest-post.json")
_EVOLVE = (
    *_MEASURED,
    "session-state.json",
    "session-summary.md",
    "session-fitness-delta.md",
    "quality-trajectory.md",
    "pinned-queue-state.json",
    "escalated.md",
    "roadmap.md",
    "STOP",
)
LOCAL = (
    *(f"/.agents/evolve/{name}" for name in _EVOLVE),
    *(f"/.agents/{name}/" for name in ("rpi", "mine", "defrag", "ao", "evolve/scope-escapes")),
)
"""Patterns of gitignore(5). The ledger and the goals' baselines are meant to be committed and are not here."""

_LOCK = ".agents/rpi/supervisor.lock"
UNHELD = frozenset((*(f".agents/evolve/{name}" for name in _MEASURED), _LOCK, f"{_LOCK}.json"))
"""Ignored files that no snapshot holds: the supervisor writes them between two snapshots, and nobody puts them back. With
every start the lock's description is another one; held, it would be a change after each crash.
"""


def exclude_local(repository: Repository) -> bool:
    """Add the local names to `info/exclude`, once. True when the file was changed."""
    path = os.path.join(repository.common_dir, "info", "exclude")
    try:
        with open(path, "rb") as file:
            present, mode = file.read(), stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    except FileNotFoundError:
        present, mode = b"", 0o644
    wanted = missing(present)
    if wanted == present:
        return False
    ensure_folder(os.path.dirname(path), 0o755)
    write_atomic(path, wanted, mode=mode)
    return True


def missing(present: bytes) -> bytes:
    """The file's new content: every byte that was there, then what it lacks."""
    known = {line.rstrip() for line in present.splitlines()}
    lacking = [name for name in LOCAL if name.encode() not in known]
    if not lacking:
        return present
    gap = b"" if not present or present.endswith(b"\n") else b"\n"
    return present + gap + b"# local files of ao\n" + "".join(f"{name}\n" for name in lacking).encode()
