"""Throwaway folders for phases: fresh for every attempt, brought home when it ends.

What lies in them was written by an agent: links are never followed, pipes and devices never opened, sizes are bounded.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile

from agentops.host.faults import fault

MOST_FILES = 2000
MOST_BYTES = 64 * 1024 * 1024


def fresh_folder(path: str) -> str:
    """An empty folder, mode 0700; what stood there before (a crashed attempt's) is removed."""
    fault("folders.fresh.before")
    drop_folder(path)
    os.makedirs(path, mode=0o700)
    return path


def bring_home(source: str, target: str) -> int:
    """Copy the plain files of `source` below `target`; returns how many were left out (odd kinds, too many, too big)."""
    fault("folders.home.before")
    files = room = left_out = 0
    for here, folders, names in os.walk(source, followlinks=False):
        folders.sort()
        there = os.path.join(target, os.path.relpath(here, source)) if here != source else target
        os.makedirs(there, mode=0o700, exist_ok=True)
        for name in sorted(names):
            at = os.path.join(here, name)
            facts = os.lstat(at)
            # one that its agent closed to us is no reason to end a night
            plain = stat.S_ISREG(facts.st_mode) and os.access(at, os.R_OK)
            if not plain or files >= MOST_FILES or room + facts.st_size > MOST_BYTES:
                left_out += 1
                continue
            shutil.copyfile(at, os.path.join(there, name), follow_symlinks=False)
            files, room = files + 1, room + facts.st_size
    return left_out


def drop_folder(path: str) -> None:
    """Remove a folder of ours, whatever modes an agent gave to what is in it."""
    fault("folders.drop.before")

    def unlock(act: object, name: str, error: object) -> None:
        try:
            os.chmod(os.path.dirname(name), 0o700)
            os.chmod(name, 0o700, follow_symlinks=False) if not os.path.islink(name) else None
            os.rmdir(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
        except OSError:
            return

    if os.path.lexists(path):
        shutil.rmtree(path, onerror=unlock)


def private_folder(name: str) -> str:
    """A folder in the machine's temporary place that belongs to us alone, for a start without a home (cron's).

    The name can be guessed by anybody, so one that is a link or somebody else's is not used.
    """
    base = os.path.join(tempfile.gettempdir(), f"ao-{os.getuid()}")
    try:
        os.mkdir(base, mode=0o700)
    except FileExistsError:
        facts = os.lstat(base)
        if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
            base = tempfile.mkdtemp(prefix="ao-")
    return os.path.join(base, name)
