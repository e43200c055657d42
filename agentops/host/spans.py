"""Parts of large files: read a span, cut an end off, keep a second name for the content."""

from __future__ import annotations

import os

from agentops.host.faults import fault


def read_span(path: str, start: int, end: int) -> bytes:
    """Bytes `start` to `end` of a file, fewer where it is shorter."""
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(max(0, end - start))


def cut(path: str, size: int) -> None:
    """Make a file exactly `size` bytes long, on the disk."""
    fault("spans.cut.before")
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.ftruncate(fd, size)
        os.fsync(fd)
    finally:
        os.close(fd)


def link_again(source: str, target: str) -> bool:
    """A hard link `target` to the content of `source`; False where the file system has none."""
    fault("spans.link.before")
    beside = f"{target}.new"
    try:
        os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
        if os.path.lexists(beside):
            os.unlink(beside)
        os.link(source, beside)
        # Renaming one link over another of the same file does nothing: the old name has to go first.
        if os.path.lexists(target):
            os.unlink(target)
        os.rename(beside, target)
    except OSError:
        return False
    return True
