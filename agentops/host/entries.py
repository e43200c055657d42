"""Single directory entries: moved, linked, made, removed, given a mode; each is one act that passes a fault point.

Paths are `str` or `bytes`. Nothing here follows a symbolic link in the last part of a path. Failures are `OSError`.
"""

from __future__ import annotations

import os

from agentops.host.faults import fault

Path = str | bytes


def replace(source: Path, target: Path) -> None:
    """Move `source` over `target` as one act; both on one file system (EXDEV otherwise)."""
    fault("entries.replace.before")
    os.replace(source, target)
    fault("entries.replace.after")


def exchange_link(text: Path, target: Path, temp: Path) -> None:
    """Make `target` a symbolic link to `text` as one act, by way of `temp` on the same file system."""
    try:
        os.unlink(temp)
    except FileNotFoundError:
        pass
    os.symlink(text, temp)
    replace(temp, target)


def make_folder(path: Path, mode: int = 0o777) -> None:
    """One folder; its parent exists. `mode` as the umask leaves it."""
    fault("entries.mkdir.before")
    os.mkdir(path, mode)


def remove_folder(path: Path) -> bool:
    """Remove a folder if it is empty; False when it is not, or is none."""
    fault("entries.rmdir.before")
    try:
        os.rmdir(path)
    except OSError:
        return False
    return True


def set_mode(path: Path, mode: int) -> None:
    """Permission bits of a file or folder."""
    fault("entries.chmod.before")
    os.chmod(path, mode)


def set_times(path: Path, *, mtime_ns: int) -> None:
    """Modification (and access) time, in nanoseconds since the epoch."""
    fault("entries.utime.before")
    os.utime(path, ns=(mtime_ns, mtime_ns))


def flush_all() -> None:
    """Everything written so far, to the disk: one call where syncing hundreds of files singly would take seconds."""
    fault("entries.sync.before")
    os.sync()
