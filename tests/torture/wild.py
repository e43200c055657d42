"""What a random agent does to a repository in one phase, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.torture.person import BASE, ODD_NAMES

Act = tuple[str, ...]
_PATHS = (*sorted(BASE), b"notes.txt", b"staged.txt", b"new-name.txt", b"private/diary.txt", b".env", b"trace.log", b"link")
EVERYWHERE = "*"


@dataclass(frozen=True, slots=True)
class Deed:
    """Acts that belong together. `touches`: paths whose person's state they may change; EVERYWHERE for all."""

    name: str
    acts: tuple[Act, ...]
    touches: frozenset[str]


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _one(name: str, path: str, *acts: Act) -> Deed:
    return Deed(name, acts, frozenset({path}))


def _all(name: str, *acts: Act) -> Deed:
    return Deed(name, acts, frozenset({EVERYWHERE}))


def _git(*argv: str) -> Act:
    return ("git", *argv)


def _commit_all(rng: random.Random) -> tuple[Act, ...]:
    return (_git("add", "-A"), _git("commit", "-q", "-m", f"agent {rng.getrandbits(20)}"))


def _any(rng: random.Random) -> str:
    return _text(rng.choice(_PATHS))


def _words(rng: random.Random) -> str:
    return f"agent {rng.getrandbits(48)}\n" * rng.randint(1, 3)


def _edit(rng: random.Random) -> Deed:
    path = _any(rng)
    return _one("edit", path, ("write", path, _words(rng)))


def _append(rng: random.Random) -> Deed:
    path = _any(rng)
    return _one("append", path, ("append", path, _words(rng)))


def _create(rng: random.Random) -> Deed:
    path = rng.choice(("new.txt", "new/deep/file.txt", "src/more.txt", "docs/extra.md", "fresh.log"))
    return _one("create", path, ("write", path, _words(rng)))


def _odd(rng: random.Random) -> Deed:
    path = _text(rng.choice(ODD_NAMES))
    return _one("odd name", path, ("write", path, _words(rng)))


def _delete(rng: random.Random) -> Deed:
    path = _any(rng)
    return _one("delete", path, ("delete", path))


def _chmod(rng: random.Random) -> Deed:
    path = _any(rng)
    return _one("chmod", path, ("chmod", path, rng.choice(("755", "600", "644", "444"))))


def _symlink(rng: random.Random) -> Deed:
    path = _any(rng)
    return _one("symlink", path, ("symlink", rng.choice(("plain.txt", "/nowhere", "..", "src")), path))


def _rename(rng: random.Random) -> Deed:
    old, new = _any(rng), rng.choice(("moved.txt", "src/moved.txt", _any(rng)))
    return Deed("rename", (("rename", old, new),), frozenset({old, new}))


def _folder_to_file(rng: random.Random) -> Deed:
    path = rng.choice(("src", "src/deep", "docs", "private", "ignored dir", "empty"))
    return _all("folder to file", ("delete", path), ("write", path, _words(rng)))


def _file_to_folder(rng: random.Random) -> Deed:
    path = rng.choice(("plain.txt", "bytes.bin", "doomed.txt", "trace.log", "staged.txt"))
    return _all("file to folder", ("delete", path), ("write", f"{path}/inside.txt", _words(rng)))


def _nested(rng: random.Random) -> Deed:
    inside = ("-C", "nested")
    return _one(
        "nested repository",
        "nested",
        ("mkdir", "nested"),
        _git(*inside, "init", "-q"),
        ("write", "nested/inner.txt", _words(rng)),
        _git(*inside, "add", "-A"),
        _git(*inside, "commit", "-q", "-m", "inner"),
    )


def _next_work(rng: random.Random) -> Deed:
    path = ".agents/rpi/next-work.jsonl"
    row = f'{{"source_epic":"t","timestamp":"2026-11-30T00:00:00Z","items":[{{"title":"{rng.getrandbits(20)}"}}]}}\n'
    return _one("append to next-work", path, ("append", path, row))


def _ledger(rng: random.Random) -> Deed:
    path = ".agents/evolve/cycle-history.jsonl"
    row = '{"cycle":99,"target":"x","result":"improved","timestamp":"2026-11-30T00:00:00Z"}\n'
    act: Act = ("write", path, row) if rng.random() < 0.5 else ("append", path, row)
    return _one("rewrite the ledger", path, act)


def _single_file_commit(rng: random.Random) -> Deed:
    path = rng.choice(("new.txt", "src/lib.txt", "docs/guide.md"))
    acts = (("write", path, _words(rng)), _git("add", path), _git("commit", "-q", "-m", "one file", "--only", "--", path))
    return _one("commit one file", path, *acts)


def _fixed(name: str, *acts: Act) -> Callable[[random.Random], Deed]:
    return lambda _: _all(name, *acts)


DEEDS: tuple[tuple[int, Callable[[random.Random], Deed]], ...] = (
    (6, _edit),
    (3, _append),
    (4, _create),
    (3, _odd),
    (4, _delete),
    (2, _chmod),
    (2, _symlink),
    (2, _rename),
    (2, _folder_to_file),
    (2, _file_to_folder),
    (1, _nested),
    (2, _next_work),
    (2, _ledger),
    (3, _single_file_commit),
    (2, _fixed("commit -a", _git("commit", "-q", "-a", "-m", "all tracked"))),
    (4, lambda rng: _all("add -A, commit", *_commit_all(rng))),
    (2, lambda rng: _all("amend", _git("add", "-A"), _git("commit", "-q", "--amend", "--no-edit"))),
    (1, _fixed("amend the index only", _git("commit", "-q", "--amend", "--no-edit"))),
    (2, _fixed("rebase", _git("-c", "rebase.autoStash=true", "rebase", "-q", "side"))),
    (1, lambda rng: _all("rebase what it made", *_commit_all(rng), _git("rebase", "-q", "side"))),
    (2, _fixed("merge", _git("merge", "-q", "--no-edit", "side"))),
    (2, _fixed("switch branch", _git("checkout", "-q", "side"))),
    (2, lambda rng: _all("commit on a new branch", _git("checkout", "-q", "-b", "agent"), *_commit_all(rng))),
    (1, _fixed("detach", _git("checkout", "-q", "--detach"))),
    (1, lambda rng: _all("commit detached", _git("checkout", "-q", "--detach"), *_commit_all(rng))),
    (1, _fixed("force checkout", _git("checkout", "-q", "-f", "HEAD"))),
    (2, _fixed("reset --hard", _git("reset", "-q", "--hard"))),
    (2, _fixed("reset --hard back", _git("reset", "-q", "--hard", "HEAD~1"))),
    (2, _fixed("reset --soft back", _git("reset", "-q", "--soft", "HEAD~1"))),
    (1, _fixed("reset", _git("reset", "-q"))),
    (2, _fixed("stash", _git("stash", "-q"))),
    (1, _fixed("stash with untracked", _git("stash", "-q", "-u"))),
    (1, _fixed("stash and pop", _git("stash", "-q"), _git("stash", "pop", "-q"))),
    (2, _fixed("clean", _git("clean", "-q", "-fdx"))),
    (1, _fixed("clean hard", _git("clean", "-q", "-ffdx"))),
    (1, _fixed("unstage all", _git("rm", "-q", "-r", "--cached", "."))),
    (1, _fixed("remove all", _git("rm", "-q", "-r", "-f", "."))),
    (1, _fixed("delete main", _git("checkout", "-q", "-b", "other"), _git("branch", "-q", "-D", "main"))),
    (1, _fixed("garbage", _git("reflog", "expire", "--expire=now", "--all"), _git("gc", "-q", "--prune=now"))),
    (1, _fixed("delete .agents", ("delete", ".agents"))),
    (1, _fixed("a file for .agents", ("delete", ".agents"), ("write", ".agents", "no folder\n"))),
    (1, _fixed("a folder for the ledger", ("write", ".agents/evolve/cycle-history.jsonl/x", "no file\n"))),
    (1, _fixed("delete the goals", ("delete", "GOALS.md"))),
    (1, _fixed("tear the goals", ("write", "GOALS.md", "\xff\xfe\x00"))),
    (1, _fixed("configure", _git("config", "core.autocrlf", "true"))),
    (1, _fixed("hook", ("write", ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", "755"))),
    (1, _fixed("tag", _git("tag", "v1"))),
)

OUTCOMES: dict[str, tuple[Act, ...]] = {
    "fixed": (("write", "src/app.txt", "mended\n"),),
    "fixed and committed": (("write", "src/app.txt", "mended\n"), _git("add", "-A"), _git("commit", "-q", "-m", "mended")),
    "nothing": (),
    "worse": (("write", "src/app.txt", "mended\n"), ("write", "guard.txt", "broken\n")),
    "worse and committed": (("write", "guard.txt", "broken\n"), _git("commit", "-q", "-a", "-m", "worse")),
}


def deeds(rng: random.Random, number: int) -> list[Deed]:
    weights, makers = zip(*DEEDS, strict=True)
    return [maker(rng) for maker in rng.choices(makers, weights, k=number)]
