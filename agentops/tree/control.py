"""Git's own files that decide what git runs: configuration, hooks, attributes, excludes. Watched, and put back."""

from __future__ import annotations

import os
import stat

from agentops.core.paths import raw_of, text_of
from agentops.host.entries import remove_folder
from agentops.host.files import ensure_folder, sync_folder
from agentops.tree.checkout import Checkout
from agentops.tree.manifest import Manifest, Own, Signature
from agentops.tree.swapping import place, take_away

PREFIX = ".git/"
_BIGGEST = 1 << 20


def watch(checkout: Checkout, before: Manifest | None = None) -> dict[str, Own]:
    """All of them with their contents stored, by names that begin with `.git/` wherever they really lie."""
    found: dict[str, Own] = {}
    fresh: list[tuple[str, Signature, bytes]] = []
    for name, path in _files(checkout):
        try:
            facts = os.lstat(path)
        except FileNotFoundError:  # somebody's git or editor replaces it just now
            continue
        signature = Signature.of(facts)
        old = before.control.get(name) if before is not None else None
        if old is not None and old.signature == signature and before is not None and signature.settled(before.taken_ns):
            found[name] = old
        elif stat.S_ISLNK(facts.st_mode):
            fresh.append((name, signature, os.fsencode(os.readlink(path))))
        elif stat.S_ISREG(facts.st_mode) and facts.st_size <= _BIGGEST:
            with open(path, "rb") as file:
                fresh.append((name, signature, file.read()))
        else:
            found[name] = Own(signature)
    digests = checkout.blobs.put(data for _, _, data in fresh)
    found.update({name: Own(signature, digest) for (name, signature, _), digest in zip(fresh, digests, strict=True)})
    return found


def tampered(pre: Manifest, post: Manifest) -> frozenset[str]:
    """Names whose content, kind or permission bits differ."""
    return frozenset(name for name in pre.control.keys() | post.control.keys() if _facts(pre, name) != _facts(post, name))


def put_back(checkout: Checkout, pre: Manifest, post: Manifest) -> frozenset[str]:
    """Each tampered one that still is as `post` found it, as it was at `pre`. Returns those that are not."""
    contested = set()
    now = watch(checkout)
    # What goes makes way for what comes: a cycle may have put a folder of hooks where a link to one was.
    for name in sorted(tampered(pre, post), key=lambda one: (one in pre.control, one)):
        there, here, wanted = now.get(name), post.control.get(name), pre.control.get(name)
        if _same(there, wanted):
            continue
        if not _same(there, here) or (wanted is not None and wanted.digest is None) or not _put(checkout, name, there, wanted):
            contested.add(name)
    return frozenset(contested)


def _put(checkout: Checkout, name: str, there: Own | None, wanted: Own | None) -> bool:
    """One act on one file; False when a save of someone's was found there in the last moment, or something is in the way."""
    path = _path(checkout, name)
    folder = os.path.dirname(path)
    known = there.signature if there is not None else None
    try:
        if wanted is None or wanted.digest is None:
            done = take_away(checkout, os.fsencode(path), known)
        else:
            data, mode = checkout.blobs.get(wanted.digest), wanted.signature.mode
            ensure_folder(folder, 0o755)
            if os.path.isdir(path) and not os.path.islink(path):
                remove_folder(path)
            link, bits = stat.S_ISLNK(mode), stat.S_IMODE(mode)
            done = place(checkout, os.fsencode(path), data, known, link=link, mode=bits, durable=True)
    except (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError):
        return False
    sync_folder(folder)
    return done


def _facts(manifest: Manifest, name: str) -> tuple[str | None, int, int] | None:
    one = manifest.control.get(name)
    if one is None:
        return None
    return one.digest, one.signature.mode, one.signature.size if one.digest is None else 0


def _same(one: Own | None, other: Own | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.digest, one.signature.mode) == (other.digest, other.signature.mode)


def _files(checkout: Checkout) -> list[tuple[str, str]]:
    """(name, real path) of everything to watch that exists."""
    repository = checkout.repository
    found = []
    for name in ("config", "config.worktree"):
        folder = repository.git_dir if name == "config.worktree" else repository.common_dir
        if os.path.lexists(path := os.path.join(folder, name)):
            found.append((PREFIX + name, path))
    for folder in ("hooks", "info"):
        base = os.path.join(repository.common_dir, folder)
        if os.path.islink(base) or not os.path.isdir(base):
            if os.path.lexists(base):
                found.append((PREFIX + folder, base))
            continue
        for here, _, names in os.walk(os.fsencode(base)):
            for one in sorted(names):
                raw = os.path.relpath(os.path.join(here, one), os.fsencode(repository.common_dir))
                found.append((PREFIX + text_of(raw), os.path.join(repository.common_dir, os.fsdecode(raw))))
    return found


def _path(checkout: Checkout, name: str) -> str:
    inner = raw_of(name.removeprefix(PREFIX))
    folder = checkout.repository.git_dir if inner == b"config.worktree" else checkout.repository.common_dir
    return os.path.join(folder, os.fsdecode(inner))
