"""Whatever a person's tree looks like when a cycle begins, it looks the same after keeping and after taking back (C2-26)."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

import pytest

from tests.git.ground import Ground, Look, cycle

State = Callable[[Ground], object]
ODD = {
    "newline": b"new\nline.txt",
    "return": b"return\r",
    "not_utf8": b"caf\xe9.txt",
    "dash": b"-rf",
    "backslash": b"back\\slash.txt",
    "backslash_x": b"back\\x41.txt",
    "quotes": b'"quo\'ted".txt',
    "spaces": b" two  spaces ",
    "glob": b"[a]*?.txt",
    "long": b"l" * 250,
    "unicode": "ünïcode-日本.txt".encode(),
    "tab": b"tab\there",
    "colon": b":(top)magic",
}


def modified(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")


def staged(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    repo.git("add", "b.txt")


def staged_then_modified(repo: Ground) -> None:
    staged(repo)
    repo.write("b.txt", "mine, later\n")


def staged_new(repo: Ground) -> None:
    repo.write("mine.txt")
    repo.git("add", "mine.txt")


def staged_new_then_deleted(repo: Ground) -> None:
    staged_new(repo)
    (repo.top / "mine.txt").unlink()


def staged_then_reverted(repo: Ground) -> None:
    staged(repo)
    repo.write("b.txt", "b.txt at the start\n")


def untracked(repo: Ground) -> None:
    repo.write("mine/deep/mine.txt", "untracked\n")


def ignored(repo: Ground) -> None:
    repo.write("mine.log", "ignored\n")
    repo.write("secret/mine.md", "ignored folder\n")


def deleted(repo: Ground) -> None:
    (repo.top / "b.txt").unlink()


def deleted_staged(repo: Ground) -> None:
    repo.git("rm", "-q", "b.txt")


def removed_from_index_only(repo: Ground) -> None:
    repo.git("rm", "-q", "--cached", "b.txt")


def renamed(repo: Ground) -> None:
    repo.git("mv", "b.txt", "moved.txt")


def renamed_unstaged(repo: Ground) -> None:
    (repo.top / "b.txt").rename(repo.top / "moved.txt")


def mode_change(repo: Ground) -> None:
    (repo.top / "b.txt").chmod(0o755)


def mode_600(repo: Ground) -> None:
    (repo.top / "b.txt").chmod(0o600)
    repo.write("untracked-key", "secret\n", 0o400)
    repo.write("open.txt", "for all\n", 0o666)


def links(repo: Ground) -> None:
    (repo.top / "b.txt").unlink()
    (repo.top / "b.txt").symlink_to("c.txt")
    (repo.top / "dangling").symlink_to("no/where")
    (repo.top / "to-folder").symlink_to("src")
    (repo.top / "absolute").symlink_to("/etc")


def intent_to_add(repo: Ground) -> None:
    repo.write("mine.txt", "intended\n")
    repo.git("add", "-N", "mine.txt")


def carriage_returns_only(repo: Ground) -> None:
    repo.git("config", "core.autocrlf", "input")
    repo.write("b.txt", b"b.txt at the start\r\n")
    repo.write("mixed.txt", b"one\r\ntwo\nthree\r\n")


def converted_clean_files(repo: Ground) -> None:
    """Committed with line feeds, checked out with carriage returns: clean, and no byte as in the object store."""
    repo.write(".gitattributes", "*.txt text eol=crlf\n")
    repo.git("add", ".gitattributes")
    repo.git("commit", "-q", "-m", "attributes")
    for name in ("a.txt", "b.txt", "c.txt"):
        (repo.top / name).unlink()
    repo.git("checkout", "-q", "--", ".")
    assert repo.read("a.txt").endswith(b"\r\n")
    repo.write("b.txt", b"mine\n")


def empty_folders(repo: Ground) -> None:
    (repo.top / "empty/nested").mkdir(parents=True)
    (repo.top / "src/empty").mkdir(mode=0o700)


def folder_modes(repo: Ground) -> None:
    (repo.top / "docs").chmod(0o700)
    (repo.top / "src/deep").chmod(0o711)


def key_files(repo: Ground) -> None:
    repo.write(".env", "TOKEN=1\n", 0o600)
    repo.write("conf/.env.local", "TOKEN=2\n", 0o600)
    repo.write("server.pem", "PEM\n", 0o600)
    repo.write("id_ed25519", "KEY\n", 0o600)


def skip_worktree(repo: Ground) -> None:
    repo.git("update-index", "--skip-worktree", "b.txt", "src/one.py")
    repo.write("b.txt", "local configuration\n")
    (repo.top / "src/one.py").unlink()


def assume_unchanged(repo: Ground) -> None:
    repo.git("update-index", "--assume-unchanged", "b.txt")
    repo.write("b.txt", "local configuration\n")


def nested_repository(repo: Ground) -> None:
    (repo.top / "vendor").mkdir()
    repo.git("-C", "vendor", "init", "-q", "lib")
    repo.write("vendor/lib/file.txt", "not ours\n")
    repo.git("-C", "vendor/lib", "add", "-A")
    repo.git("-C", "vendor/lib", "commit", "-q", "-m", "theirs")
    repo.write("vendor/lib/more.txt", "dirty\n")


def pipes_and_sockets(repo: Ground) -> None:
    os.mkfifo(repo.top / "pipe")
    (repo.top / "b.txt").unlink()
    os.mkfifo(repo.top / "b.txt")


def file_became_folder(repo: Ground) -> None:
    (repo.top / "b.txt").unlink()
    repo.write("b.txt/inside", "folder now\n")


def folder_became_file(repo: Ground) -> None:
    (repo.top / "docs/read.md").unlink()
    (repo.top / "docs").rmdir()
    repo.write("docs", "file now\n")


def odd_names(repo: Ground) -> None:
    for name in ODD.values():
        repo.write(b"odd/" + name, name + b" untracked\n")
        repo.write(b"tracked/" + name, name + b"\n")
    repo.git("add", "-A", "--", "tracked")
    repo.git("commit", "-q", "-m", "odd names")
    for name in ODD.values():
        repo.write(b"tracked/" + name, name + b" changed\n")


def split_index(repo: Ground) -> None:
    repo.git("update-index", "--split-index")
    staged_then_modified(repo)


def index_version_4(repo: Ground) -> None:
    repo.git("update-index", "--index-version", "4")
    staged_then_modified(repo)
    intent_to_add(repo)


STATES = (
    modified, staged, staged_then_modified, staged_new, staged_new_then_deleted, staged_then_reverted, untracked, ignored,
    deleted, deleted_staged, removed_from_index_only, renamed, renamed_unstaged, mode_change, mode_600, links, intent_to_add,
    carriage_returns_only, converted_clean_files, empty_folders, folder_modes, key_files, skip_worktree, assume_unchanged,
    nested_repository, pipes_and_sockets, file_became_folder, folder_became_file, odd_names, split_index, index_version_4,
)  # fmt: skip


def work(repo: Ground) -> None:
    """Commits, leaves something uncommitted, and does nothing to what the person was at."""
    repo.write("a.txt", "agent\n")
    repo.agent("commit", "-q", "-m", "agent", "--", "a.txt")
    repo.write("src/two.py", "agent, uncommitted\n")
    repo.write("fresh/work.txt", "agent\n")


def ruin(repo: Ground) -> None:
    """Overwrites, deletes and sweeps up whatever there is."""
    work(repo)
    for here, _, names in os.walk(repo.top):
        if ".git" in here.split(os.sep) or "vendor" in here.split(os.sep):
            continue
        for name in names:
            path = os.path.join(here, name)
            if stat.S_ISREG(os.lstat(path).st_mode) and not name.startswith(".git"):
                with open(path, "ab") as file:
                    file.write(b"ruined\n")
    repo.agent("add", "-A")
    repo.agent("commit", "-q", "-m", "sweep")
    repo.agent("rm", "-q", "-r", "-f", "src")
    repo.agent("clean", "-q", "-f", "-d", "-x", "-e", "pipe")


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_taken_back_work_leaves_a_persons_tree_as_it_was(repo: Ground, state: State) -> None:
    state(repo)
    now = cycle(repo)
    work(repo)
    done = now.taken_back()
    assert not done.contested, done
    now.is_as_before()


@pytest.mark.slow
@pytest.mark.parametrize("state", [one for one in STATES if one is not pipes_and_sockets], ids=lambda state: state.__name__)
def test_a_ruined_tree_is_as_it_was_after_taking_back(repo: Ground, state: State) -> None:
    state(repo)
    now = cycle(repo)
    ruin(repo)
    done = now.taken_back()
    assert not done.contested, done
    now.is_as_before()


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_kept_work_leaves_everything_else_as_it_was(repo: Ground, state: State) -> None:
    state(repo)
    now = cycle(repo)
    work(repo)
    done = now.kept()
    assert not done.contested, done
    after = repo.look()
    worked = {b"a.txt", b"src/two.py", b"fresh", b"fresh/work.txt"}
    assert {path: facts for path, facts in after.files.items() if path not in worked} == {
        path: facts for path, facts in now.before.files.items() if path not in worked
    }
    assert lines(after, worked) == lines(now.before, worked)
    assert repo.log("-2") == ["work", "agent"]
    assert repo.git("log", "-1", "--format=%(trailers:key=Ao-Cycle,valueonly)").strip() == b"1"
    assert repo.git("show", "HEAD:src/two.py") == b"agent, uncommitted\n"
    assert repo.git("show", "HEAD:fresh/work.txt") == b"agent\n"
    assert not [line for line in after.status.split(b"\0") if line.endswith((b" a.txt", b"src/two.py", b"fresh/work.txt"))]


def lines(look: Look, but: set[bytes]) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Status, index and flags without the lines of some paths."""

    def of_others(text: bytes, at: bytes) -> list[bytes]:
        return [line for line in text.split(b"\0") if line.rpartition(at)[2] not in but]

    return of_others(look.status, b" "), of_others(look.index, b"\t"), of_others(look.flags, b" ")


@pytest.mark.parametrize("end", ["work", "ruin"])
def test_an_edit_that_escapes_git_itself_is_not_lost(repo: Ground, end: str) -> None:
    """Size and times as git remembers them, content not: `git status` may call it clean (design-review E5)."""
    repo.git("update-index", "-q", "--really-refresh")
    facts = (repo.top / "b.txt").stat()
    repo.write("b.txt", "B.TXT AT THE START\n")
    os.utime(repo.top / "b.txt", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    now = cycle(repo)
    (work if end == "work" else ruin)(repo)
    assert not now.taken_back().contested
    assert repo.look().files == now.before.files
