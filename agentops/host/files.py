"""Files that survive a crash: whole or not at all, appended lines never glued to a torn one, reads bounded.

Paths are `str` or `bytes`. Failures are `OSError` as the system gives them (ENOSPC is for the caller to recognise).
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentops.host.faults import fault

Path = str | bytes
LOCK_SECONDS = 5.0
_LOOK = 0.01
_CHUNK = 1 << 20


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True, named: bool = True) -> None:
    """Replace a file as one act: a reader sees the old content or the new, after a crash too.

    `durable`: on the disk before this returns, the name as well. Not `named`: after a power cut it may be the old file, whole,
    that has the name. A symbolic link is replaced, not followed.
    """
    target = os.fsdecode(path)
    temp = _beside(target)
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    try:
        try:
            fault("files.write.before")
            _write_all(fd, data)
            os.fchmod(fd, mode)  # whatever the umask took
            if durable:
                fault("files.fsync.before")
                os.fsync(fd)
        finally:
            os.close(fd)
        fault("files.rename.before")
        os.replace(temp, target)
    except BaseException:
        _forget(temp)
        raise
    fault("files.rename.after")
    if durable and named:
        sync_folder(os.path.dirname(target))


def append_line(
    path: Path, line: bytes, *, mode: int = 0o600, durable: bool = True, allowed: Callable[[], bool] | None = None
) -> bool:
    """Append one line in one write, creating file and folders. False, and nothing written, when `allowed` says no: it is
    asked under the lock, so that what it looked at still holds.

    A torn tail gets its line break first, so that it can't swallow this line (loop-peers B-T3). A write that the disk
    cut short is taken back. `line` comes without or with its line break; one inside is an error of the caller.
    """
    body = line.removesuffix(b"\n")
    if b"\n" in body:
        raise ValueError("a line has no line break inside")
    target = os.fsdecode(path)
    with _held(target, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode) as fd:
        if allowed is not None and not allowed():
            return False
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        try:
            fault("files.append.before")
            _write_all(fd, (b"\n" if torn else b"") + body + b"\n")
            fault("files.append.after")
            if durable:
                fault("files.fsync.before")
                os.fsync(fd)
        except OSError:
            _cut(fd, size)
            raise
        if durable and size == 0:
            sync_folder(os.path.dirname(target))
    return True


def rewrite(path: Path, edit: Callable[[bytes], bytes | None], *, durable: bool = True) -> bool:
    """Replace a shared file's content by what `edit` makes of it; None (or the same) leaves it. True when it was replaced.

    Held under `flock` against our other writers; replaced as one act with its mode kept, through a symbolic link. Other
    tools append without any lock: what came in after our look is carried over, up to the rename and just after it.
    """
    target = os.path.realpath(os.fsdecode(path))
    with _held(target, os.O_RDWR, 0o600) as fd:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        seen = _read_from(fd, 0)
        new = edit(seen)
        if new is None or new == seen:
            return False
        fault("files.rewrite.before")
        late = _read_from(fd, len(seen))
        write_atomic(target, new + late, mode=mode, durable=durable)
        fault("files.rewrite.after")
        for line in _read_from(fd, len(seen) + len(late)).split(b"\n"):
            if line:
                append_line(target, line, mode=mode, durable=durable)
    return True


def read_bounded(path: Path, limit: int) -> bytes:
    """At most the first `limit` bytes. Never waits: a pipe of that name is an `OSError`."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return _read_from(fd, 0, limit)
    finally:
        os.close(fd)


def read_tail(path: Path, limit: int) -> bytes:
    """At most the last `limit` bytes, from the start of a line on; a line longer than that is not in it."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        start = max(0, os.fstat(fd).st_size - limit)
        # One byte more tells whether the window happens to begin at a line's start.
        data = _read_from(fd, max(0, start - 1), limit + 1 if start else limit)
        return data if start == 0 else data.partition(b"\n")[2]
    finally:
        os.close(fd)


def tail_lines(path: Path, limit_bytes: int) -> list[bytes]:
    """The lines of `read_tail`, without line breaks; a torn last one included. A missing file has none."""
    try:
        data = read_tail(path, limit_bytes)
    except FileNotFoundError:
        return []
    return data.removesuffix(b"\n").split(b"\n") if data else []


def remove(path: Path) -> bool:
    """Remove a file or link; False when there was none."""
    fault("files.remove.before")
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    fault("files.remove.after")
    return True


def move(source: Path, target: Path) -> None:
    """Give a file another name in its file system; what has that name now is replaced. Not durable."""
    fault("files.rename.before")
    os.replace(source, target)
    fault("files.rename.after")


def ensure_folder(path: Path, mode: int = 0o700) -> None:
    """The folder and those above it exist; those that had to be made have `mode`."""
    folder = os.fsdecode(path)
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    if above and above != folder:
        ensure_folder(above, mode)
    fault("files.folder.before")
    try:
        os.mkdir(folder, mode)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def copy_file(source: Path, target: Path, *, durable: bool = False) -> None:
    """Copy content, mode and times as one act: a newer time on a copied index hides same-size edits (design-review E5)."""
    into = os.fsdecode(target)
    temp = _beside(into)
    reading = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        facts = os.fstat(reading)
        writing = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            try:
                fault("files.copy.before")
                while block := os.read(reading, _CHUNK):
                    _write_all(writing, block)
                os.fchmod(writing, stat.S_IMODE(facts.st_mode))
                os.utime(writing, ns=(facts.st_atime_ns, facts.st_mtime_ns))
                if durable:
                    fault("files.fsync.before")
                    os.fsync(writing)
            finally:
                os.close(writing)
            fault("files.rename.before")
            os.replace(temp, into)
        except BaseException:
            _forget(temp)
            raise
    finally:
        os.close(reading)
    if durable:
        sync_folder(os.path.dirname(into))


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Size, modification time and inode of what a path leads to, by which a change is seen; None when it can't be told."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ino


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable. File systems that refuse to sync folders keep names their own way."""
    fd = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fault("files.fsync_folder.before")
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(fd)


@contextmanager
def _held(path: str, flags: int, mode: int) -> Iterator[int]:
    """The file that the path names now, under an exclusive `flock`: a rewriter may have replaced it while we waited."""
    while True:
        try:
            fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        except FileNotFoundError:
            if not flags & os.O_CREAT or os.path.isdir(os.path.dirname(path) or "."):
                raise
            ensure_folder(os.path.dirname(path))
            continue
        try:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.EINVAL, "it is no plain file", path)
            _lock(fd, path)
            if still_names(path, fd):
                yield fd
                return
        finally:
            os.close(fd)


def _lock(fd: int, path: str) -> None:
    """Other writers hold it for one write. Whoever holds it for ever must not hold us: nobody could stop us there."""
    for left in range(round(LOCK_SECONDS / _LOOK), -1, -1):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not left:
                raise TimeoutError(errno.ETIMEDOUT, "another program keeps it locked", path) from None
            select.select((), (), (), _LOOK)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):  # a file system without locks: O_APPEND must do
                raise
            return
        else:
            return


def still_names(path: str, fd: int) -> bool:
    """Whether the path still names the open file; a lock on a file that was replaced protects nothing."""
    try:
        there, ours = os.stat(path), os.fstat(fd)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _beside(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{os.urandom(6).hex()}.tmp")


def _write_all(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _read_from(fd: int, start: int, limit: int | None = None) -> bytes:
    blocks, at = [], start
    while limit is None or at - start < limit:
        block = os.pread(fd, _CHUNK if limit is None else min(_CHUNK, limit - (at - start)), at)
        if not block:
            break
        blocks.append(block)
        at += len(block)
    return b"".join(blocks)


def _cut(fd: int, size: int) -> None:
    try:
        os.ftruncate(fd, size)
    except OSError:
        return  # the next append heals the torn tail


def _forget(temp: str) -> None:
    try:
        os.unlink(temp)
    except OSError:
        return  # the error that brought us here says more
