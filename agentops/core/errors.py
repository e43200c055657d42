"""Errors that a person may read: each says what happened and the next command to type."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the `ao` process returns (docs/exit-codes.md has the same table for people)."""

    PLANNED = 0
    UNEXPECTED = 1
    USAGE = 2
    STRICT = 3
    BREAKER = 5
    HELD = 6
    ENVIRONMENT = 7
    SIGHUP = 129
    SIGINT = 130
    SIGTERM = 143


class AoError(Exception):
    """Something `ao` expected to be able to go wrong. The class docstring is the default message.

    `mend` is the next thing a person types or does; it is printed on a line of its own.
    """

    exit_code: ExitCode = ExitCode.UNEXPECTED
    mend: str = ""

    def __init__(self, message: str | None = None, *, mend: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or type(self).__name__).strip().splitlines()[0])
        if mend is not None:
            self.mend = mend


class UsageError(AoError):
    """The command line or a file that it names cannot be used."""

    exit_code = ExitCode.USAGE
    mend = "ao --help"


class UnusableFile(AoError):
    """A goals, profile, program or configuration file does not load."""

    exit_code = ExitCode.USAGE


class LeaseHeld(AoError):
    """Another supervisor works on this repository."""

    exit_code = ExitCode.HELD
    mend = "ao status   (who holds it)   ·   ao stop   (end it)"


class EnvironmentUnusable(AoError):
    """`ao` cannot work here as things are."""

    exit_code = ExitCode.ENVIRONMENT


class GitFailed(EnvironmentUnusable):
    """A git command failed."""

    mend = "git status   ·   git fsck   (what git itself says of the repository)"

    def __init__(self, argv: tuple[str, ...], code: int | None, stderr: bytes) -> None:
        self.argv, self.code, self.stderr = argv, code, stderr
        said = stderr.decode("utf-8", "replace").strip() or "(it said nothing)"
        super().__init__(f"`{' '.join(argv)}` ended with {code}: {said}")


class Contested(EnvironmentUnusable):
    """Someone else changed what this cycle changed; nothing of theirs was touched."""

    def __init__(self, message: str, paths: frozenset[str] = frozenset(), *, mend: str | None = None) -> None:
        self.paths = paths
        super().__init__(message, mend=mend)
