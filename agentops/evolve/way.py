"""What stands where a file of ours belongs moves aside: a cycle may have put a folder or a link there, or a file for a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agentops.host import files


def in_the_way(top: str, name: str) -> Iterator[str]:
    """What stands where a folder or plain file of ours belongs below `top`; a link is no file."""
    *folders, _ = steps = name.split("/")
    for end in range(1, len(steps) + 1):
        path = os.path.join(top, "/".join(steps[:end]))
        fits = os.path.isdir(path) if end <= len(folders) else os.path.isfile(path) and not os.path.islink(path)
        if os.path.lexists(path) and not fits:
            yield path


def clear_the_way(top: str, name: str) -> bool:
    """It is the cycle's work, so it moves aside, where the snapshot `post` sees it. Our folder is made again."""
    found = list(in_the_way(top, name))
    for path in found:
        files.move(path, _free(f"{path}.aside"))
    files.ensure_folder(os.path.dirname(os.path.join(top, name)), 0o755)
    return bool(found)


def _free(path: str) -> str:
    """A name that nobody has: what moves aside must not go over something of a person's."""
    number, found = 1, path
    while os.path.lexists(found):
        number += 1
        found = f"{path}-{number}"
    return found
