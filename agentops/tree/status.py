"""What git says is not clean. Format: git-status(1), porcelain v2 with `-z`."""

from __future__ import annotations

from dataclasses import dataclass, field

STATUS = (
    "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignored=matching", "--ignore-submodules=dirty",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tracked:
    """A tracked path that is not clean. `staged`/`worked`: the letters of git's two columns; `mode`: the index's."""

    staged: str
    worked: str
    mode: int
    submodule: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Paths relative to the top, raw. Folders in `ignored` end with a slash; `nested`: untracked repositories."""

    tracked: dict[bytes, Tracked] = field(default_factory=dict)
    unmerged: frozenset[bytes] = frozenset()
    untracked: tuple[bytes, ...] = ()
    nested: tuple[bytes, ...] = ()
    ignored: tuple[bytes, ...] = ()

    @property
    def clean(self) -> bool:
        """Index and files equal HEAD, and nothing is untracked."""
        return not (self.tracked or self.unmerged or self.untracked or self.nested)

    @property
    def staged(self) -> bool:
        """The index differs from HEAD."""
        return bool(self.unmerged) or any(path.staged != "." for path in self.tracked.values())


def parse(out: bytes) -> Status:
    """The answer of `git` `STATUS`."""
    tracked: dict[bytes, Tracked] = {}
    unmerged: set[bytes] = set()
    untracked: list[bytes] = []
    nested: list[bytes] = []
    ignored: list[bytes] = []
    for line in out.split(b"\0"):
        kind = line[:2]
        if kind == b"1 ":
            _, letters, sub, _, mode, _, _, _, path = line.split(b" ", 8)
            tracked[path] = Tracked(chr(letters[0]), chr(letters[1]), int(mode, 8), sub[:1] == b"S")
        elif kind == b"u ":
            unmerged.add(line.split(b" ", 10)[10])
        elif kind == b"? ":
            (nested if line.endswith(b"/") else untracked).append(line[2:].rstrip(b"/"))
        elif kind == b"! ":
            ignored.append(line[2:])
    return Status(tracked, frozenset(unmerged), tuple(untracked), tuple(nested), tuple(ignored))
