"""What a disk can still take."""

from __future__ import annotations

import os


def free_bytes(path: str) -> int:
    """Bytes that we may still write where `path` lies."""
    facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize
