"""Which of a repository's own files a check names. Pure: a word list goes out, the caller looks at the disk."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OWN = re.compile(r"(?:\./)?(?:scripts|tests|hooks)/[A-Za-z0-9_./@%+-]+")
_WORD = re.compile(r"[^\s;|&()<>'\"`]+|[;|&()<>]")
_MOVES = re.compile(r"\b(?:cd|pushd)\b|--directory|-C\s")


def script_of(check: str) -> str:
    """The script under `scripts/` that a check begins with; empty when it begins with something else."""
    first = check.split(maxsplit=1)[0] if check.strip() else ""
    return first if first.startswith("scripts/") else ""


def named_paths(check: str) -> tuple[str, ...]:
    """The files under `scripts/`, `tests/` and `hooks/` that a check names and needs.

    Upstream also takes every word with a slash and a dot, which makes web addresses and outputs stale goals. Left out here
    are names with wildcards, what a redirection writes, what `test` asks about, and all of a check that changes folders.
    """
    return () if _MOVES.search(check) else tuple(dict.fromkeys(_named(check)))


def _named(check: str) -> Iterator[str]:
    before, testing = "", False
    for word in _WORD.findall(check):
        if word in (";", "|", "&"):
            testing = False
        testing = testing or word in ("test", "[", "[[")
        if _OWN.fullmatch(word) and not testing and before not in (">", "rm"):
            yield word
        before = word
