"""Folders have no place in git's trees; ours remember them, the empty ones and their permission bits included."""

from __future__ import annotations

import os
import stat

from agentops.core.paths import raw_of, text_of
from agentops.host.entries import make_folder, remove_folder, set_mode
from agentops.tree.changes import under
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest


def mend_folders(checkout: Checkout, old: Manifest, new: Manifest, *, make: bool = False) -> None:
    """Permission bits as `new` had them where the tree still has `old`'s; with `make` also folders that are missing."""
    if make:
        for text in sorted(set(new.folders) - set(old.folders)):
            path = raw_of(text)
            if checkout.look(path) is None and parents_of(checkout, path, new):
                _make(checkout, path, new)
    for text in old.folder_modes.keys() | new.folder_modes.keys():
        was, wanted = bits_of(old, text), bits_of(new, text)
        path = raw_of(text)
        facts = checkout.look(path) if was != wanted else None
        if facts is not None and stat.S_ISDIR(facts.st_mode) and stat.S_IMODE(facts.st_mode) == was:
            set_mode(checkout.at(path), wanted)


def remove_folders(checkout: Checkout, old: Manifest, new: Manifest) -> None:
    """Folders that only `old` had, where nothing is left in them; never one that `new` did not look into."""
    unseen = {*old.unseen, *new.unseen}
    for text in sorted(set(old.folders) - set(new.folders), key=lambda one: one.count("/"), reverse=True):
        path = raw_of(text)
        facts = checkout.look(path)
        if facts is not None and stat.S_ISDIR(facts.st_mode) and not under(text, unseen):
            remove_folder(checkout.at(path))


def parents_of(checkout: Checkout, path: bytes, new: Manifest | None = None) -> bool:
    """The folders above a path exist, made if need be; False when something else stands in the way."""
    folder = os.path.dirname(path)
    if checkout.real_folder(folder):
        return True
    if not parents_of(checkout, folder, new) or os.path.lexists(checkout.at(folder)):
        return False
    _make(checkout, folder, new)
    return True


def bits_of(manifest: Manifest, text: str) -> int:
    """The mode of a folder as the snapshot saw it, or the usual one."""
    return manifest.folder_modes.get(text, manifest.folder)


def _make(checkout: Checkout, path: bytes, new: Manifest | None) -> None:
    bits = 0o755 if new is None else bits_of(new, text_of(path))
    make_folder(checkout.at(path), bits)
    if stat.S_IMODE(os.lstat(checkout.at(path)).st_mode) != bits:
        set_mode(checkout.at(path), bits)
