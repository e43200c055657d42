"""Killed at any point of any act and called again, the end is the same (loop-peers C2-1; the idea is SQLite's).

The act runs in a process of its own; the points that it passes are listed first, then each is made to kill it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

from agentops.host import faults
from tests.git import killed
from tests.git.ground import Ground, Look, differing
from tests.git.test_agent_acts import dirty


def run(ground: Ground, act: str, facts: Path, fault: str = "", log: str | None = None) -> int:
    """The act in a forked process, armed with a fault; 0, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            faults._armed = faults._Armed(fault, log) if fault or log else None
            killed.act(ground, act, facts)
            code = 0
        except BaseException as error:
            print(f"{act} under {fault or 'no fault'}: {error!r}", file=sys.__stderr__)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 70, -signal.SIGKILL), code
    return code


def copied(ground: Ground, facts: Path, base: Path) -> tuple[Ground, Path]:
    """The same repository at the same path: what was there is put aside for the time of one try."""
    shutil.rmtree(ground.top, ignore_errors=True)
    shutil.copytree(base / "repo", ground.top, symlinks=True)
    if (base / "facts").exists():
        shutil.copy(base / "facts", facts)
    return ground, facts


def agent_works(repo: Ground) -> None:
    """A bit of everything: a commit that sweeps, leftovers, a deletion, a new folder, an ignored file."""
    repo.write("a.txt", "agent\n")
    repo.agent("add", "-A")
    repo.agent("commit", "-q", "-m", "agent")
    repo.write("src/one.py", "half done\n")
    repo.write("new/left.txt", "left\n", 0o755)
    repo.write("run.log", "changed\n")
    (repo.top / "src/two.py").unlink()
    (repo.top / "link").unlink()
    (repo.top / "link").symlink_to("elsewhere")


def agent_rewrites(repo: Ground) -> None:
    """Leaves the branch and its history."""
    repo.agent("checkout", "-q", "-f", "-b", "feature")
    repo.agent("reset", "-q", "--hard", "HEAD~1")
    repo.write("a.txt", "agent\n")
    repo.agent("commit", "-q", "-a", "-m", "agent")


def prepare(repo: Ground, act: str, work: str, facts: Path) -> None:
    dirty(repo)
    shutil.rmtree(repo.top / "build", ignore_errors=True)
    if act == "begin":
        return
    assert run(repo, "begin", facts) == 0
    repo.mark = {"GIT_REFLOG_ACTION": "ao:20261130-2304-a1b2.1/1"}
    (agent_works if work == "works" else agent_rewrites)(repo)
    if act == "effect":
        return
    assert run(repo, "effect", facts) == 0
    if act == "bring_back":
        assert run(repo, "set_aside", facts) == 0
    if act == "undo":
        assert run(repo, "keep", facts) == 0
    if act == "ledger":
        repo.write(".agents/evolve/cycle-history.jsonl", '{"cycle":1}\n')


def picked(points: Counter[str], sparse: bool) -> list[tuple[str, int]]:
    """Every point, and of those that are passed often the first and the last time; `sparse`: the last only."""
    found = []
    for point, times in sorted(points.items()):
        found += [(point, nth) for nth in sorted({times} if sparse else {1, times} & set(range(1, times + 1)))]
    return found


def seen(repo: Ground) -> tuple[Look, list[bytes]]:
    """What must be equal in the end: all that can be seen, and the history by trees and messages."""
    return repo.look(), repo.git("log", "--format=%T %s").splitlines()


CASES = [
    pytest.param("take_back", "works", False, marks=pytest.mark.slow),
    pytest.param("keep", "works", False, marks=pytest.mark.slow),
    pytest.param("take_back", "rewrites", True, marks=pytest.mark.slow),
    pytest.param("keep", "rewrites", True, marks=pytest.mark.slow),
    pytest.param("set_aside", "works", True, marks=pytest.mark.slow),
    pytest.param("bring_back", "works", True, marks=pytest.mark.slow),
    pytest.param("begin", "works", True, marks=pytest.mark.slow),
    pytest.param("effect", "works", True, marks=pytest.mark.slow),
    pytest.param("ledger", "works", True, marks=pytest.mark.slow),
]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("act", "work", "sparse"), CASES)
def test_an_act_that_was_killed_is_finished_by_calling_it_again(
    repo: Ground, tmp_path: Path, act: str, work: str, sparse: bool
) -> None:
    facts, base, log = tmp_path / "facts.json", tmp_path / "base", tmp_path / "points.log"
    prepare(repo, act, work, facts)
    shutil.copytree(repo.top, base / "repo", symlinks=True)
    if facts.exists():
        shutil.copy(facts, base / "facts")
    assert run(repo, act, facts, log=str(log)) == 0
    wanted = seen(repo)
    points = Counter(log.read_text().split())
    assert len(points) > 5, points
    for point, nth in picked(points, sparse):
        copied(repo, facts, base)
        assert run(repo, act, facts, fault=f"{point}:{nth}:kill") == -signal.SIGKILL, (point, nth)
        assert run(repo, act, facts) == 0
        look, history = seen(repo)
        assert not differing(wanted[0], look), (point, nth, differing(wanted[0], look))
        assert history == wanted[1], (point, nth)
        assert not (repo.top / ".git/index.lock").exists()
        if act == "effect":
            assert run(repo, "take_back", facts) == 0
            assert repo.git("status", "--porcelain=v2", "-z") == before_status(base, repo)


def before_status(base: Path, repo: Ground) -> bytes:
    """What the tree looked like at the start, from the copy that was made of the work: taken back once without any fault."""
    cached = base / "status"
    if not cached.exists():
        cached.write_bytes(repo.git("status", "--porcelain=v2", "-z"))
    return cached.read_bytes()


@pytest.mark.parametrize("action", ["error", "enospc"])
@pytest.mark.parametrize("act", ["keep", "take_back"])
def test_a_failing_disk_is_an_error_and_the_act_can_be_called_again(repo: Ground, tmp_path: Path, act: str, action: str) -> None:
    facts = tmp_path / "facts.json"
    prepare(repo, act, "works", facts)
    for point in ("git.update-ref.before", "entries.replace.before", "files.write.before"):
        assert run(repo, act, facts, fault=f"{point}:1:{action}") == 70
    assert run(repo, act, facts) == 0
    assert not (repo.top / ".git/index.lock").exists()
    assert repo.git("show", ":c.txt") == b"staged\n"
    assert repo.read("b.txt") == b"mine, not finished\n"
    assert repo.read("a.txt") == (b"agent\n" if act == "keep" else b"a.txt at the start\n")
