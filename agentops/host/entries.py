"""Single directory entries: moved, linked, made, removed, given a mode; each is one act that passes a fault point.

Paths are `str` or `bytes`. Nothing here follows a symbolic link in the last part of a path. Failures are `OSError`.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from functools import cache

from agentops.host.faults import fault

Path = str | bytes

_HERE = -100  # AT_FDCWD
_NOREPLACE, _EXCHANGE = 1, 2  # linux/fs.h


def replace(source: Path, target: Path) -> None:
    """Move `source` over `target` as one act; both on one file system (EXDEV otherwise)."""
    fault("entries.replace.before")
    os.replace(source, target)
    fault("entries.replace.after")


def make_link(text: Path, target: Path) -> None:
    """A new symbolic link to `text`."""
    fault("entries.link.before")
    os.symlink(text, target)


def swap(one: Path, other: Path) -> bool:
    """Let two entries change places as one act; False where the file system or kernel can't.

    Whoever saved `other` a moment ago is then in `one`, and not gone: renameat2(2).
    """
    return _renameat2(one, other, _EXCHANGE)


def move_if_free(source: Path, target: Path) -> bool:
    """Move `source` to `target` unless something is there (FileExistsError); False where the kernel can't promise that."""
    return _renameat2(source, target, _NOREPLACE)


def _renameat2(source: Path, target: Path, flag: int) -> bool:
    fault("entries.swap.before")
    call = _libc_rename()
    if call is None:
        return False
    done = call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flag)
    fault("entries.swap.after")
    if done == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.EXDEV, errno.EOPNOTSUPP):
        return False
    raise OSError(number, os.strerror(number), os.fsdecode(target))


@cache
def _libc_rename() -> Callable[..., int] | None:
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


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
