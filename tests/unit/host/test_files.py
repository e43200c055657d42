"""Files after crashes, torn writes and full disks (loop-peers B-T3, B-T6, C2-21, C2-23)."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from agentops.host import files

ROOT = Path(__file__).resolve().parents[3]


def python(code: str, *args: str, fault: str = "", limit: int | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **({"AO_FAULT": fault} if fault else {})}

    def small_disk() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-c", code, *args], env=env, capture_output=True, text=True, check=False, preexec_fn=small_disk
    )


WRITE = "import sys; from agentops.host import files; files.write_atomic(sys.argv[1], b'new' * 1000)"
APPEND = "import sys; from agentops.host import files; files.append_line(sys.argv[1], sys.argv[2].encode())"


@pytest.mark.parametrize(
    "point",
    ["files.write.before", "files.fsync.before", "files.rename.before", "files.rename.after", "files.fsync_folder.before"],
)
@pytest.mark.parametrize("action", ["kill", "error", "enospc"])
def test_file_is_the_old_one_or_the_new_one_wherever_the_write_breaks(tmp_path: Path, point: str, action: str) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"old")
    assert python(WRITE, str(path), fault=f"{point}:1:{action}").returncode != 0
    renamed = point in ("files.rename.after", "files.fsync_folder.before")
    assert path.read_bytes() == (b"new" * 1000 if renamed else b"old")
    if action != "kill":
        assert os.listdir(tmp_path) == ["state.json"], "no temporary file is left"


def test_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"old")
    done = python(WRITE, str(path), limit=100)
    assert "File too large" in done.stderr
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["state.json"]


def test_mode_is_as_asked_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        files.write_atomic(tmp_path / "a" if False else str(tmp_path / "a"), b"x", mode=0o644)
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644


def test_link_is_replaced_and_what_it_points_to_untouched(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "ours").symlink_to("theirs")
    files.write_atomic(str(tmp_path / "ours"), b"ours")
    assert (tmp_path / "theirs").read_text() == "theirs" and not (tmp_path / "ours").is_symlink()


def test_torn_tail_does_not_swallow_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"cycle":1}\n{"cyc')
    files.append_line(str(path), b'{"cycle":2}')
    assert path.read_bytes() == b'{"cycle":1}\n{"cyc\n{"cycle":2}\n'


def test_first_append_makes_folders_and_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "rows.jsonl"
    files.append_line(str(path), b"one\n")
    assert path.read_bytes() == b"one\n"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_line_break_inside_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line break"):
        files.append_line(str(tmp_path / "rows"), b"a\nb")


def test_append_that_the_disk_cuts_short_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"one\n")
    done = python(APPEND, str(path), "x" * 500, limit=100)
    assert done.returncode != 0
    assert path.read_bytes() == b"one\n"


@pytest.mark.parametrize("point", ["files.append.before", "files.append.after", "files.fsync.before"])
def test_append_that_failed_leaves_no_line_and_one_that_was_killed_none_or_a_whole_one(tmp_path: Path, point: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"one\n")
    assert python(APPEND, str(path), "two", fault=f"{point}:1:error").returncode != 0
    assert path.read_bytes() == b"one\n"
    assert python(APPEND, str(path), "two", fault=f"{point}:1:kill").returncode == -9
    assert path.read_bytes() in (b"one\n", b"one\ntwo\n")


RACE = """
import sys
from agentops.host import files
path, who = sys.argv[1], sys.argv[2]
for n in range(100):
    if who == "rewriter":
        files.rewrite(path, lambda data: data.replace(b"old", b"new", 1), durable=False)
    else:
        files.append_line(path, f"old {who} {n}".encode(), durable=False)
"""


def test_appenders_and_rewriters_lose_no_line_to_each_other(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen([sys.executable, "-c", RACE, str(path), who], env=env) for who in ("a", "b", "rewriter")]
    assert [one.wait() for one in running] == [0, 0, 0]
    lines = [line.split(b" ", 1)[1] for line in path.read_bytes().splitlines()]
    assert sorted(lines) == sorted(b"%s %d" % (who, n) for who in (b"a", b"b") for n in range(100))


def test_rewriting_touches_one_line_and_keeps_every_other_byte_and_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b'\xef\xbb\xbf{"a" : 1}\r\n\n{"b":2}\r\n\xff torn')
    path.chmod(0o640)
    assert files.rewrite(str(path), lambda data: data.replace(b'{"b":2}', b'{"b":3}'))
    assert path.read_bytes() == b'\xef\xbb\xbf{"a" : 1}\r\n\n{"b":3}\r\n\xff torn'
    assert path.stat().st_mode & 0o777 == 0o640
    assert not files.rewrite(str(path), lambda _data: None)


def test_what_another_tool_appends_without_a_lock_between_our_look_and_our_write_is_kept(tmp_path: Path) -> None:
    """Upstream's producers append without locking; the last one here still writes to the file that was replaced."""
    path = tmp_path / "rows"
    path.write_bytes(b"one\ntwo\n")
    theirs = path.open("ab")

    def edit(data: bytes) -> bytes:
        theirs.write(b"three\n")
        theirs.flush()
        return data.replace(b"one", b"ONE")

    assert files.rewrite(str(path), edit)
    assert path.read_bytes() == b"ONE\ntwo\nthree\n"


def test_a_rewrite_goes_through_a_link_and_leaves_it_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"one\n")
    (tmp_path / "link").symlink_to("real")
    assert files.rewrite(str(tmp_path / "link"), lambda data: data + b"two\n")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("limit", range(1, 14))
def test_tail_begins_at_the_start_of_a_line(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"one\ntwo\nthree")
    expected = max((part for part in (b"three", b"two\nthree", b"one\ntwo\nthree", b"") if len(part) <= limit), key=len)
    assert files.read_tail(str(path), limit) == expected
    assert files.tail_lines(str(path), limit) == (expected.split(b"\n") if expected else [])


def test_missing_file_has_no_tail_lines_and_a_bounded_read_is_bounded(tmp_path: Path) -> None:
    assert files.tail_lines(str(tmp_path / "none"), 10) == []
    (tmp_path / "big").write_bytes(b"x" * 100)
    assert files.read_bounded(str(tmp_path / "big"), 7) == b"x" * 7


def test_copy_keeps_time_and_mode_and_takes_bytes_paths(tmp_path: Path) -> None:
    source, target = tmp_path / "a", os.fsencode(tmp_path) + b"/\xff"
    source.write_bytes(b"content" * 1000)
    source.chmod(0o751)
    os.utime(source, ns=(1, 123456789))
    files.copy_file(str(source), target, durable=True)
    facts = os.stat(target)
    assert (facts.st_mtime_ns, facts.st_mode & 0o777) == (123456789, 0o751)
    assert files.read_bounded(target, 1 << 20) == source.read_bytes()


def test_removing_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert files.remove(str(tmp_path / "a")) and not files.remove(str(tmp_path / "a"))


def test_folder_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(OSError, match="a"):
        files.ensure_folder(str(tmp_path / "a" / "b"))
    files.ensure_folder(str(tmp_path / "c" / "d"))
    files.ensure_folder(str(tmp_path / "c" / "d"))


def test_a_lock_that_another_program_never_lets_go_is_an_error_and_no_endless_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shared"
    path.write_bytes(b"theirs\n")
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.05)
    with path.open("rb") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match="keeps it locked"):
            files.append_line(str(path), b"ours")
    files.append_line(str(path), b"ours")
    assert path.read_bytes() == b"theirs\nours\n"


def test_a_pipe_in_place_of_a_file_holds_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for act in (
        lambda path: files.read_bounded(path, 10),
        lambda path: files.read_tail(path, 10),
        lambda path: files.append_line(path, b"x"),
        lambda path: files.rewrite(path, lambda data: b"x"),
    ):
        with pytest.raises(OSError):
            act(tmp_path / "pipe")
