"""The person: works in the same checkout, before, during and after a cycle, and remembers every byte they wrote."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.ground import Ground
from tests.torture.looking import oid

BASE: dict[bytes, bytes] = {
    b"src/app.txt": b"one\ntwo\nthree\n",
    b"src/lib.txt": b"a\nb\nc\n",
    b"src/deep/er/leaf.txt": b"leaf\n",
    b"guard.txt": b"intact\n",
    b"docs/guide.md": b"# guide\n\nwords\n",
    b"docs/crlf.txt": b"one\ntwo\n",
    b"run.sh": b"#!/bin/sh\necho hi\n",
    b"plain.txt": b"plain\n",
    b"old-name.txt": b"this is going to be renamed\n" * 3,
    b"doomed.txt": b"to be deleted\n",
    b"gone.txt": b"to be removed from the index\n",
    b"bytes.bin": bytes(range(256)),
    b".gitignore": b"*.log\n.env\nbuild/\n/ignored dir/\n",
    b"odd 'quote\" \\.txt": b"odd\n",
}
ODD_NAMES = (
    b"new\nline.txt",
    b"not-utf8-\xff\xfe.txt",
    b"-leading-dash",
    b'it\'s "quoted".txt',
    b"back\\slash.txt",
    b"x" * 200 + b".txt",
    "nfc-é.txt".encode(),
    "nfd-e\u0301.txt".encode(),
    b" space ",
    b"tab\there",
    b"glob[1]*?.txt",
    b":(top)magic",
)


@dataclass(slots=True)
class Wrote:
    """One byte sequence of the person's. `when`: before, during, after. `replaced`: by the person's own hand, before any
    snapshot could have seen it; nobody promises that.
    """

    path: bytes
    oid: str
    when: str
    replaced: bool = False


@dataclass(slots=True)
class Person:
    """Acts at random from one generator, with contents that occur nowhere else."""

    ground: Ground
    rng: random.Random
    when: str = "before"
    wrote: list[Wrote] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    staged: set[str] = field(default_factory=set)  # by the person's own hand, ever

    def save(self, name: bytes, data: bytes | None = None, *, mode: int | None = None, later: bool = False) -> bytes:
        """Write a file as editors do it, and remember its bytes. `later`: dated well after any crash."""
        data = self.words() if data is None else data
        path = os.path.join(os.fsencode(self.ground.repo), name)
        with suppress(OSError):
            if os.path.islink(path):
                os.unlink(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Through a rename, as most editors do: nobody ever sees half of it.
            beside = path[:200] + b".person~"
            with open(beside, "wb") as file:
                file.write(data)
            os.chmod(beside, mode if mode is not None else _mode_of(path))
            if later:
                now = os.lstat(beside).st_mtime + 3600
                os.utime(beside, (now, now))
            with self._by_hand(name):
                os.rename(beside, path)
            self.wrote.append(Wrote(name, oid(data), self.when))
            return data
        self.did.append(f"could not save {name!r}")
        return b""

    def _held(self, name: bytes) -> set[str]:
        """What file and index hold under this name. What an agent's `add` put into the index is no copy that the person
        made: it goes with the agent's work, and a save that is replaced meanwhile is in its commit alone (seed 1943).
        """
        found = self._indexed(name) & self.staged
        path = os.path.join(os.fsencode(self.ground.repo), name)
        with suppress(OSError):
            found.add(oid(os.readlink(path) if os.path.islink(path) else Path(os.fsdecode(path)).read_bytes()))
        return found

    def _indexed(self, name: bytes) -> set[str]:
        entries = self.ground.git("--literal-pathspecs", "ls-files", "--stage", "-z", "--", name, check=False)
        return {line.split()[1].decode() for line in entries.split(b"\0") if line}

    @contextmanager
    def _by_hand(self, name: bytes) -> Iterator[None]:
        """What is gone after this was replaced by the person themselves: forgotten, unless a cycle that had begun by now
        has it in its `pre`.
        """
        before = self._held(name)
        yield
        gone = before - self._held(name)
        begun = self.begun()
        for one in self.wrote:
            if one.path == name and one.oid in gone and not (one.when == "before" and self.when != "before" and begun):
                one.replaced = True

    def begun(self) -> bool:
        """Whether the journal says that a cycle has started: its first snapshot is taken."""
        path = self.ground.state / "journal.jsonl"
        return path.exists() and b'"step":"started"' in path.read_bytes()

    def words(self) -> bytes:
        return b"the person's %d words\n" % self.rng.getrandbits(48)

    def link(self, name: bytes, target: bytes) -> None:
        path = os.path.join(os.fsencode(self.ground.repo), name)
        with suppress(OSError):
            with self._by_hand(name):
                if os.path.lexists(path):
                    os.unlink(path)
                os.symlink(target, path)
            self.wrote.append(Wrote(name, oid(target), self.when))

    def remove(self, name: bytes) -> None:
        with suppress(OSError), self._by_hand(name):
            os.unlink(os.path.join(os.fsencode(self.ground.repo), name))

    def add(self, name: bytes, *flags: str) -> None:
        with self._by_hand(name):
            self.ground.git("--literal-pathspecs", "add", *flags, "--", name, check=False)
            self.staged |= self._indexed(name)

    def commit(self, title: str) -> str | None:
        """Commit what is staged; the commit's id, or None when git refused."""
        before = self.head()
        self.ground.git("commit", "--quiet", "-m", title, check=False)
        sha = self.head()
        if sha == before:
            return None
        self.commits.append(sha)
        return sha

    def head(self) -> str:
        return self.ground.git("rev-parse", "HEAD", check=False).decode().strip()

    def act(self, name: str, chance: str) -> None:
        """One of `ACTS` by its name."""
        self.did.append(f"{self.when}: {name} {chance}")
        ACTS[name](self, chance == "later")


def _mode_of(path: bytes) -> int:
    try:
        return os.lstat(path).st_mode & 0o7777
    except OSError:
        return 0o644


def first_commit(ground: Ground, goals: str, more: dict[bytes, bytes] | None = None) -> None:
    """The repository's history: two commits on main and one on a side branch."""
    person = Person(ground, random.Random(0))
    for name, data in {**BASE, **(more or {}), b"GOALS.md": goals.encode()}.items():
        person.save(name, data)
    os.symlink("plain.txt", ground.repo / "link")
    ground.git("add", "--all")
    ground.git("commit", "--quiet", "-m", "start")
    ground.git("checkout", "--quiet", "-b", "side")
    person.save(b"side.txt", b"beside\n")
    ground.git("add", "side.txt")
    ground.git("commit", "--quiet", "-m", "beside")
    ground.git("checkout", "--quiet", "main")
    person.save(b"docs/guide.md", b"# guide\n\nmore words\n")
    ground.git("commit", "--quiet", "-a", "-m", "words")


# --- the states of C2-26, each by itself


def _modified(p: Person, _: bool) -> None:
    p.save(b"src/lib.txt")


def _staged(p: Person, _: bool) -> None:
    p.save(b"staged.txt")
    p.add(b"staged.txt")


def _staged_and_more(p: Person, _: bool) -> None:
    p.save(b"docs/guide.md")
    p.add(b"docs/guide.md")
    p.save(b"docs/guide.md")


def _untracked(p: Person, later: bool) -> None:
    p.save(b"notes %d.txt" % p.rng.getrandbits(20), later=later)


def _untracked_private(p: Person, _: bool) -> None:
    p.save(b"private/diary.txt", mode=0o600)


def _odd(p: Person, later: bool) -> None:
    p.save(p.rng.choice(ODD_NAMES), later=later)


def _ignored(p: Person, later: bool) -> None:
    p.save(b"trace.log", later=later)


def _key(p: Person, _: bool) -> None:
    p.save(b".env", b"TOKEN=%d\n" % p.rng.getrandbits(60), mode=0o600)


def _ignored_folder(p: Person, _: bool) -> None:
    p.save(b"ignored dir/kept/data.txt")


def _deleted(p: Person, _: bool) -> None:
    p.remove(b"doomed.txt")


def _deleted_staged(p: Person, _: bool) -> None:
    p.ground.git("rm", "--quiet", "--cached", "--", "gone.txt", check=False)


def _renamed(p: Person, _: bool) -> None:
    p.ground.git("mv", "old-name.txt", "new-name.txt", check=False)


def _mode(p: Person, _: bool) -> None:
    with suppress(OSError):
        os.chmod(p.ground.repo / "run.sh", 0o755)


def _tight(p: Person, _: bool) -> None:
    with suppress(OSError):
        os.chmod(p.ground.repo / "plain.txt", 0o600)


def _link(p: Person, _: bool) -> None:
    p.link(b"link", b"nowhere/%d" % p.rng.getrandbits(30))


def _link_for_file(p: Person, _: bool) -> None:
    p.link(b"bytes.bin", b"plain.txt")


def _intent(p: Person, _: bool) -> None:
    p.save(b"intent.txt")
    p.add(b"intent.txt", "--intent-to-add")


def _crlf(p: Person, _: bool) -> None:
    p.save(b"docs/crlf.txt", b"one\r\ntwo\r\n")


def _mixed_endings(p: Person, _: bool) -> None:
    p.ground.git("config", "core.autocrlf", "input")
    p.save(b"mixed.txt", b"a\r\nb\nc %d\r\n" % p.rng.getrandbits(30))


def _mixed_endings_staged(p: Person, _: bool) -> None:
    p.ground.git("config", "core.autocrlf", "input")
    p.save(b"mixed staged.txt", b"a\r\nb\nc %d\r\n" % p.rng.getrandbits(30))
    p.add(b"mixed staged.txt")


def _empty_folder(p: Person, _: bool) -> None:
    (p.ground.repo / "empty" / "folder").mkdir(parents=True, exist_ok=True)


def _skipped(p: Person, _: bool) -> None:
    p.ground.git("update-index", "--skip-worktree", "src/deep/er/leaf.txt", check=False)
    p.save(b"src/deep/er/leaf.txt")


def _own_notes(p: Person, _: bool) -> None:
    p.save(b".agents/learnings/mine.md")


def _target_dirty(p: Person, _: bool) -> None:
    p.save(b"src/app.txt")


def _save_any(p: Person, later: bool) -> None:
    p.save(p.rng.choice(sorted(BASE)), later=later)


def _stage_any(p: Person, later: bool) -> None:
    name = p.rng.choice(sorted(BASE))
    p.save(name, later=later)
    p.add(name)


def _commit_one(p: Person, later: bool) -> None:
    """A commit of exactly one file, as a careful person makes it beside a running agent."""
    name = p.rng.choice((b"mine.txt", b"docs/guide.md", b"src/lib.txt"))
    p.save(name, later=later)
    before = p.head()
    p.add(name)
    p.ground.git("--literal-pathspecs", "commit", "--quiet", "-m", "the person's own", "--only", "--", name, check=False)
    if (sha := p.head()) != before:
        p.commits.append(sha)


def _delete_any(p: Person, _: bool) -> None:
    p.remove(p.rng.choice(sorted(BASE)))


DIRTY: dict[str, Callable[[Person, bool], None]] = {
    "modified": _modified,
    "staged": _staged,
    "staged-and-more": _staged_and_more,
    "untracked": _untracked,
    "untracked-private": _untracked_private,
    "odd-name": _odd,
    "ignored": _ignored,
    "key": _key,
    "ignored-folder": _ignored_folder,
    "deleted": _deleted,
    "deleted-staged": _deleted_staged,
    "renamed": _renamed,
    "mode": _mode,
    "tight-mode": _tight,
    "link": _link,
    "link-for-file": _link_for_file,
    "intent-to-add": _intent,
    "crlf": _crlf,
    "mixed-endings": _mixed_endings,
    "mixed-endings-staged": _mixed_endings_staged,
    "empty-folder": _empty_folder,
    "skip-worktree": _skipped,
    "own-notes": _own_notes,
    "target-dirty": _target_dirty,
}
"""Every dirty state of a checkout that C2-26 names, and a few more."""
MEANWHILE: dict[str, Callable[[Person, bool], None]] = {
    "save": _save_any,
    "stage": _stage_any,
    "commit": _commit_one,
    "delete": _delete_any,
    "new-ignored": _ignored,
    "new-untracked": _untracked,
    "new-odd": _odd,
    "save-target": _target_dirty,
}
ACTS = {**DIRTY, **MEANWHILE}
