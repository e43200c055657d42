"""What a disk can still take."""

from __future__ import annotations

import errno
import os


def free_bytes(path: str) -> int:
    """Bytes that we may still write where `path` lies."""
    facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize


def is_full(error: OSError) -> bool:
    """Whether the system said that there is no room: a matter of waiting, not of the file."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
