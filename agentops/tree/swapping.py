"""One entry put in place of another, or taken away, so that a save between our last look and the act is never lost.

Old and new change places and what comes out is looked at: a save that was made in that moment comes out with it, and goes
back on top. Where the kernel can't swap, a plain rename leaves that moment open.
"""

from __future__ import annotations

import errno
import os

from agentops.host.entries import make_link, move_if_free, replace, swap
from agentops.host.files import remove, write_atomic
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Signature


def place(
    checkout: Checkout, target: bytes, data: bytes, known: Signature | None, *, link: bool, mode: int, durable: bool = False
) -> bool:
    """Put `data` (of a file with these permission bits, or of a link) where the entry is that we know by these facts.

    `known` None: where nothing is. False when someone's save was found there in the last moment; it stays. `durable`: the
    content is on the disk when this returns; the name is for whoever calls to sync.
    """
    temp = os.fsencode(checkout.scratch("file"))
    if link:
        make_link(data, temp)
    else:
        write_atomic(temp, data, mode=mode, durable=durable)
    if known is None and move_if_free(temp, target):
        return True
    if known is not None and swap(temp, target):
        if _is(temp, known):
            remove(temp)
            return True
        swap(temp, target)
        remove(temp)
        return False
    try:
        replace(temp, target)
    except OSError as error:
        if error.errno != errno.EXDEV:  # the state folder lies on another file system than the work tree
            raise
        remove(temp)
        if link:
            remove(target)
            make_link(data, target)
        else:
            write_atomic(target, data, mode=mode, durable=durable)
    return True


def take_away(checkout: Checkout, target: bytes, known: Signature | None) -> bool:
    """Remove what we looked at and nothing else: it is moved out of the way first, and looked at again there."""
    temp = os.fsencode(checkout.scratch("file"))
    if known is None or not _moved(target, temp):
        remove(target)
        return True
    if _is(temp, known):
        remove(temp)
        return True
    if not _moved(temp, target):
        raise IsADirectoryError  # the newest save took the place back: both stay, ours to name
    return False


def _moved(source: bytes, target: bytes) -> bool:
    try:
        return move_if_free(source, target)
    except FileExistsError:
        return False


def _is(path: bytes, known: Signature) -> bool:
    """Whether this still is the entry that we knew under another name; moving it changed its ctime and nothing else."""
    seen = Signature.of(os.lstat(path))
    return (seen.size, seen.mtime_ns, seen.inode, seen.mode) == (known.size, known.mtime_ns, known.inode, known.mode)
