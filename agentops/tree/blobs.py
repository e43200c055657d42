"""Contents that must never enter git's object store (keys, ignored files) and copies of the index, by their SHA-256.

They lie in `state/blobs`, mode 0600: neither a push nor a local clone carries them away (design-review 1.1-8).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping

from agentops.core.errors import EnvironmentUnusable
from agentops.host.entries import flush_all
from agentops.host.files import ensure_folder, write_atomic

_SYNC_EACH = 6


DAMAGED = "git fsck; df -h .   (is the disk damaged, or full?)"
"""What to look at when something that we had saved is not as we saved it."""


class Blobs:
    """A folder of contents; what is there already is never written again."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def put(self, contents: Iterable[bytes]) -> list[str]:
        """Store durably; the digests in order."""
        digests: list[str] = []
        fresh: dict[str, bytes] = {}
        for data in contents:
            digest = hashlib.sha256(data).hexdigest()
            digests.append(digest)
            if digest not in fresh and not os.path.exists(self.path(digest)):
                fresh[digest] = data
        each = len(fresh) <= _SYNC_EACH
        for digest, data in fresh.items():
            path = self.path(digest)
            ensure_folder(os.path.dirname(path))
            write_atomic(path, data, mode=0o600, durable=each)
        if not each:
            flush_all()
        return digests

    def get(self, digest: str) -> bytes:
        """Raises EnvironmentUnusable when the content is gone or damaged: writing it into a tree would be worse."""
        try:
            with open(self.path(digest), "rb") as file:
                data = file.read()
        except OSError as error:
            said = f"A saved file is gone: {self.path(digest)} ({error.strerror})."
            raise EnvironmentUnusable(said, mend=DAMAGED) from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise EnvironmentUnusable(f"A saved file is damaged: {self.path(digest)}.", mend=DAMAGED)
        return data

    def path(self, digest: str) -> str:
        return os.path.join(self.folder, digest[:2], digest[2:])

    def digests(self) -> Mapping[str, str]:
        """Every stored digest with its file, for pruning."""
        found: dict[str, str] = {}
        for shelf in os.scandir(self.folder) if os.path.isdir(self.folder) else ():
            if shelf.is_dir(follow_symlinks=False):
                found.update({shelf.name + one.name: one.path for one in os.scandir(shelf.path) if len(one.name) == 62})
        return found
