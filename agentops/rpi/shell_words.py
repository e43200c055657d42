"""The plain commands inside a check, as words: enough of the shell to see `ruff check src` in what people write. Pure.

What can't be read with certainty (quotes over separators, variables, expansions) is left out: then there is no fixer.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_REDIRECTION = re.compile(r"&?\d*(?:>>?|<)\s*&?[^\s;|&()]*")
_SEPARATOR = re.compile(r"&&|\|\||[;|&\n`()]|\$\(")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_BEFORE = frozenset(("!", "then", "do", "else", "if", "while", "until", "time", "exec", "command", "{", "env"))
_WRAPPERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("npm", "exec"),
    ("pnpm", "exec"),
    ("yarn", "run"),
    ("yarn", "exec"),
    ("bundle", "exec"),
    ("npx",),
    ("bunx",),
    ("yarn",),
    ("pnpm",),
)
_PYTHON = re.compile(r"(?:.*/)?python[0-9.]*")
_GLOB = re.compile(r"[\w./*?\[\]-]+")
_OWN_MARK = re.compile(r"^\s*(?:\$|>|\+)\s+")


@dataclass(frozen=True, slots=True)
class Command:
    """`program` as it was called (maybe a path), `words` what came behind it. `prefix`: what has to stand before it
    (`python -m`); `wrapped`: something else finds it for the check (`npx`, `uv run`). `folder`: where a `cd` led.
    """

    program: str
    words: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    wrapped: bool = False
    folder: str = ""

    @property
    def tool(self) -> str:
        return self.program.rpartition("/")[2]


def commands(check: str) -> list[Command]:
    """Every plain command of a check, in order."""
    return list(_commands(check))


def printed_commands(output: str) -> list[Command]:
    """Commands that a check showed while it ran them, one a line: `make` as they are, `npm` behind `>`, `sh -x` behind `+`."""
    found = (one for line in output.splitlines()[:400] for one in _commands(_OWN_MARK.sub("", line.strip())[:1000]))
    return list(found)


def shell_text(words: Sequence[str], *, quoted: bool) -> str:
    """The words as shell text. Patterns stay patterns unless `quoted`; everything else is itself."""
    return " ".join(word if not quoted and _GLOB.fullmatch(word) else shlex.quote(word) for word in words)


def _commands(text: str) -> Iterator[Command]:
    folder = ""
    for piece in _SEPARATOR.split(_REDIRECTION.sub(" ", text)):
        try:
            words = shlex.split(piece)
        except ValueError:
            continue
        while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0])):
            words.pop(0)
        if not words or any("$" in word for word in words):
            continue
        if words[0] == "cd" and len(words) == 2:
            folder = words[1] if not folder or words[1].startswith("/") else f"{folder}/{words[1]}"
            continue
        yield _unwrapped(words, folder)


def _unwrapped(words: list[str], folder: str) -> Command:
    wrapped = False
    for wrapper in _WRAPPERS:
        if tuple(words[: len(wrapper)]) == wrapper and len(words) > len(wrapper):
            rest = words[len(wrapper) :]
            while len(rest) > 1 and rest[0].startswith("-"):
                rest = rest[1:]
            # `pnpm install` is pnpm's own; `pnpm eslint` is not
            if len(wrapper) > 1 or wrapper in (("npx",), ("bunx",)) or rest[0] not in ("install", "i", "run", "test"):
                words, wrapped = rest, True
            break
    if _PYTHON.fullmatch(words[0]) and len(words) > 2 and words[1] == "-m":
        return Command(words[2], tuple(words[3:]), (words[0], "-m"), wrapped, folder)
    return Command(words[0], tuple(words[1:]), (), wrapped, folder)
