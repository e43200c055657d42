"""One walk over the tree for what git cannot tell: folders, permission bits, files inside ignored folders."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentops.tree.ignored import HEAVY, MOST_IGNORED

_BITS = 0o7777


@dataclass(slots=True)
class Scan:
    """Raw paths relative to the top. `bits`: permission bits of files, counted and kept where they are not the usual ones.

    `stamps`: (ctime, mtime) in nanoseconds.
    `ignored`: files inside ignored folders. `unseen`: ignored folders that were not entered. `nested`: folders that hold
    a repository of their own.
    """

    folders: dict[bytes, int] = field(default_factory=dict)
    modes: dict[bytes, int] = field(default_factory=dict)
    stamps: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    ignored: list[bytes] = field(default_factory=list)
    unseen: list[bytes] = field(default_factory=list)
    nested: list[bytes] = field(default_factory=list)
    plain: int = 0o644
    executable: int = 0o755
    folder: int = 0o755


def scan(top: bytes, ignored: Sequence[bytes], usual: tuple[int, int, int] | None = None) -> Scan:
    """Walk the tree below `top`. `ignored`: what git ignores, folders with a slash. `usual`: bits to compare with.

    Ignored folders that tools fill are not entered, other repositories neither; a folder that can't be read is unseen.
    """
    seen = Scan()
    off = {path.rstrip(b"/") for path in ignored if path.endswith(b"/")}
    heavy = {name.encode() for name in HEAVY}
    by_bits: dict[int, list[bytes]] = {}
    waiting: list[tuple[bytes, bool]] = [(b"", False)]
    while waiting:
        folder, hidden = waiting.pop()
        try:
            found = list(os.scandir(os.path.join(top, folder)))
        except OSError:
            seen.unseen.append(folder)
            continue
        lead = folder + b"/" if folder else b""
        if folder and b".git" in {one.name for one in found}:
            seen.nested.append(folder)
            seen.folders.pop(folder, None)
            continue
        for one in found:
            path = lead + one.name
            if path == b".git":
                continue
            if one.is_dir(follow_symlinks=False):
                inside = hidden or path in off
                if inside and (one.name in heavy or len(seen.ignored) >= MOST_IGNORED):
                    seen.unseen.append(path)
                    continue
                try:
                    seen.folders[path] = one.stat(follow_symlinks=False).st_mode & _BITS
                except OSError:
                    continue  # gone meanwhile
                waiting.append((path, inside))
                continue
            if hidden:
                (seen.ignored if len(seen.ignored) < MOST_IGNORED else seen.unseen).append(path)
            try:
                facts = one.stat(follow_symlinks=False)
            except OSError:
                continue
            mode = facts.st_mode
            if stat.S_ISREG(mode):
                by_bits.setdefault(mode & _BITS, []).append(path)
                seen.stamps[path] = facts.st_ctime_ns, facts.st_mtime_ns
    _usual(seen, by_bits, usual)
    return seen


def _usual(seen: Scan, by_bits: dict[int, list[bytes]], usual: tuple[int, int, int] | None) -> None:
    """What most files have is said once; only the others are listed."""
    if usual is None:
        plain = max((bits for bits in by_bits if not bits & 0o100), key=lambda bits: len(by_bits[bits]), default=0o644)
        executable = max((bits for bits in by_bits if bits & 0o100), key=lambda bits: len(by_bits[bits]), default=0o755)
        folder = Counter(seen.folders.values()).most_common(1)
        usual = plain, executable, folder[0][0] if folder else 0o755
    seen.plain, seen.executable, seen.folder = usual
    for bits, paths in by_bits.items():
        if bits not in (seen.plain, seen.executable):
            seen.modes.update(dict.fromkeys(paths, bits))
