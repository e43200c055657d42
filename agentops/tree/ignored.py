"""Which files git does not store for us are worth a copy of our own: pure rules by name."""

from __future__ import annotations

from fnmatch import fnmatch

KEY_LIKE = (".env*", "*.pem", "*.key", "id_*", "*credentials*")
HEAVY = frozenset(
    {"node_modules", ".venv", "venv", "target", "build", "dist", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache"}
    | {".ruff_cache", ".hypothesis", ".cache", ".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache", ".eggs", ".terraform"}
    | {".import_linter_cache", "bower_components"}
)
"""Folders that tools fill and can fill again; ignored files in them are not held (evolve.md section 6)."""

BIGGEST_IGNORED = 1 << 20
ALL_IGNORED = 64 << 20
MOST_IGNORED = 20_000
BIGGEST = 50 << 20
ALL = 1 << 30


def key_like(path: bytes) -> bool:
    """Looks like a secret: its content never enters git's object store on our account."""
    name = path.rpartition(b"/")[2].decode("utf-8", "replace")
    return any(fnmatch(name, pattern) for pattern in KEY_LIKE)


def heavy(path: bytes) -> bool:
    """Lies in, or is, a folder that tools fill."""
    return any(part.decode("utf-8", "replace") in HEAVY for part in path.split(b"/"))
