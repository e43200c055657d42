"""A lock that only the kernel decides (loop-peers B-T1, B-T2, C2-24, C2-25)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentops.core.errors import LeaseHeld
from agentops.host.clock import SystemClock
from agentops.host.locks import FileLock

ROOT = Path(__file__).resolve().parents[3]
HOLD = """
import sys, subprocess
from agentops.host.clock import SystemClock
from agentops.host.locks import FileLock
with FileLock(sys.argv[1], SystemClock(), {"run": "20261130-2304-a1b2.1"}):
    subprocess.Popen(["sleep", "300"]) if len(sys.argv) > 2 else None
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "ao" / "lock")


def holder(path: str, *args: str) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = subprocess.Popen([sys.executable, "-c", HOLD, path, *args], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert running.stdout is not None and running.stdout.readline() == b"held\n"
    return running


def test_second_process_is_refused_with_the_holders_name_and_gets_it_after_a_sigkill(path: str) -> None:
    other = holder(path)
    lock = FileLock(path, SystemClock())
    assert not lock.take()
    assert (lock.description()["pid"], lock.description()["run"]) == (other.pid, "20261130-2304-a1b2.1")
    with pytest.raises(LeaseHeld, match=f"pid {other.pid}"), lock:
        pass
    other.kill()
    other.wait()
    assert lock.take()
    assert lock.description()["pid"] == os.getpid()
    lock.release()


def test_orphan_of_the_holder_does_not_keep_the_lock(path: str) -> None:
    other = holder(path, "with a child")
    children = Path(f"/proc/{other.pid}/task/{other.pid}/children").read_text().split()
    other.kill()
    other.wait()
    lock = FileLock(path, SystemClock())
    assert lock.take()
    lock.release()
    for pid in children:
        os.kill(int(pid), 9)


@pytest.mark.parametrize("words", [b"", b"\x00\xff", b"[1]", b'{"pid": 1, "host": "elsewhere"}'])
def test_description_never_blocks(path: str, words: bytes) -> None:
    os.mkdir(os.path.dirname(path))
    Path(f"{path}.json").write_bytes(words)
    lock = FileLock(path, SystemClock())
    assert lock.take() and lock.take()
    assert lock.description()["pid"] == os.getpid()
    lock.release()
    assert lock.description() == {} and not lock.held


def test_lock_that_was_replaced_protects_nothing_and_is_taken_anew(path: str) -> None:
    first, second = FileLock(path, SystemClock()), FileLock(path, SystemClock())
    assert first.take() and not second.take()
    os.unlink(path)  # an agent that cleans up
    assert second.take()
    first.release()
    second.release()
