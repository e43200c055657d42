"""`ao restore`, `ao undo`, `ao diff` and pruning: what was taken back is still there, and asking for it destroys nothing."""

from __future__ import annotations

import os

import pytest

from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.places import Settled
from agentops.tree.difference import difference
from agentops.tree.inplace import InPlace
from agentops.tree.prune import Pruned, prune
from agentops.tree.restore import Restored, restore
from agentops.tree.undo import Undone, undo
from tests.git.ground import RUN, Ground, cycle

SESSION = RUN.partition(".")[0]


def worked(repo: Ground, number: int, *, keep: bool, **files: str) -> Settled:
    now = cycle(repo, number)
    for name, data in files.items():
        repo.write(name.replace("__", "/").replace("_", "."), data)
    effect = now.effect()
    return now.place.keep(now.start, effect, f"work {number}") if keep else now.place.take_back(now.start, effect)


def restored(repo: Ground, number: int, *paths: str, pre: bool = False) -> Restored:
    place = repo.place()
    return restore(place.repository, place.checkout.git, place.checkout.clock, number, pre=pre, paths=paths)


def undone(repo: Ground) -> Undone:
    place = repo.place()
    return undo(place.repository, place.checkout.git, place.checkout.clock, SESSION)


def test_work_that_was_taken_back_comes_back_on_a_branch(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    worked(repo, 1, keep=False, a_txt="agent\n", new__file_txt="new\n")
    before = repo.look()
    done = restored(repo, 1)
    assert done.branch == "ao/restore-1"
    assert restored(repo, 1).branch == "ao/restore-1-2"
    assert repo.look() == before
    assert repo.git("show", "ao/restore-1:a.txt") == b"agent\n"
    assert repo.git("show", "ao/restore-1:new/file.txt") == b"new\n"
    assert repo.git("show", f"{restored(repo, 1, pre=True).branch}:a.txt") == b"a.txt at the start\n"


def test_a_branch_called_ao_is_no_obstacle(repo: Ground) -> None:
    repo.git("branch", "ao")
    worked(repo, 1, keep=False, a_txt="agent\n")
    assert restored(repo, 1).branch == "ao-restore-1"


def test_a_single_file_comes_back_and_what_stood_there_is_saved(repo: Ground) -> None:
    worked(repo, 1, keep=False, a_txt="agent\n", b_txt="agent\n")
    repo.write("a.txt", "person, later\n")
    done = restored(repo, 1, "a.txt")
    assert done.paths == {"a.txt"}
    assert repo.read("a.txt") == b"agent\n"
    assert repo.read("b.txt") == b"b.txt at the start\n"
    assert repo.git("show", f"{done.saved}:a.txt") == b"person, later\n"
    assert restored(repo, 1, "no/such").notes


def test_an_ignored_key_comes_back_as_a_file(repo: Ground) -> None:
    repo.write(".env", "TOKEN=1\n", 0o600)
    now = cycle(repo)
    (repo.top / ".env").unlink()
    repo.write("a.txt", "agent\n")
    now.kept()
    assert not (repo.top / ".env").exists()
    assert restored(repo, 1, ".env", pre=True).paths == {".env"}
    assert (repo.read(".env"), os.stat(repo.top / ".env").st_mode & 0o777) == (b"TOKEN=1\n", 0o600)


def test_a_cycle_that_left_nothing_is_a_usage_error(repo: Ground) -> None:
    with pytest.raises(UsageError, match="Cycle 7"):
        restored(repo, 7)


def test_a_session_is_undone_as_one_commit_and_the_undoing_can_be_looked_at(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    repo.write("note.txt", "mine\n")
    start = repo.look()
    worked(repo, 1, keep=True, a_txt="one\n", new_txt="one\n")
    worked(repo, 2, keep=False, c_txt="two\n")
    worked(repo, 3, keep=True, a_txt="three\n", src__one_py="three\n")
    done = undone(repo)
    assert not done.stayed
    assert repo.log("-3") == [f"undo: evolve session {SESSION}", "work 3", "work 1"]
    assert repo.look() == start
    assert repo.git("show", f"{done.saved}:a.txt") == b"three\n"


def test_undoing_leaves_what_someone_else_changed_since(repo: Ground) -> None:
    worked(repo, 1, keep=True, a_txt="one\n", b_txt="one\n", c_txt="one\n")
    repo.write("b.txt", "person\n")
    repo.write("mine.txt", "person\n")
    repo.write("c.txt", "person, committed\n")
    repo.person_commits("c.txt")
    done = undone(repo)
    assert done.stayed >= {"b.txt", "mine.txt", "c.txt"}
    assert (repo.read("a.txt"), repo.read("b.txt")) == (b"a.txt at the start\n", b"person\n")
    assert (repo.read("c.txt"), repo.read("mine.txt")) == (b"person, committed\n", b"person\n")
    assert repo.git("show", "HEAD:c.txt") == b"person, committed\n"
    assert repo.git("show", "HEAD:a.txt") == b"a.txt at the start\n"


def test_undoing_keeps_the_records(repo: Ground) -> None:
    from agentops.tree.commits import commit_paths

    worked(repo, 1, keep=True, a_txt="one\n")
    place = repo.place()
    ledger = ".agents/evolve/cycle-history.jsonl"
    repo.write(ledger, "{}\n")
    commit_paths(place.repository, place.checkout.git, [ledger], "evolve: cycle 1", mark=f"ao:{RUN}/1")
    assert not undone(repo).stayed
    assert repo.git("show", f"HEAD:{ledger}") == b"{}\n"
    assert repo.git("status", "--porcelain") == b""


def test_undoing_on_another_branch_or_after_a_rewrite_is_refused(repo: Ground) -> None:
    worked(repo, 1, keep=True, a_txt="one\n")
    repo.git("checkout", "-q", "-b", "other")
    with pytest.raises(EnvironmentUnusable, match="main"):
        undone(repo)
    repo.git("checkout", "-q", "main")
    repo.git("reset", "-q", "--hard", "HEAD~2")
    repo.write("z.txt")
    repo.person_commits("z.txt")
    with pytest.raises(EnvironmentUnusable, match="not in the history"):
        undone(repo)


def test_the_difference_names_everything_and_is_bounded(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    repo.write("big.bin", b"x" * 5000)
    repo.write("run.log", "ignored\n")
    repo.git("config", "user.name", "Agent")
    now.taken_back()
    place = repo.place()
    text = difference(place.repository, place.checkout.git, 1)
    assert "+agent" in text
    assert "added: run.log" in text
    assert ".git/config" in text
    without = difference(place.repository, place.checkout.git, 1, ours=lambda path: path in ("a.txt", "run.log"))
    assert "a.txt" not in without and "run.log" not in without and "big.bin" in without, "what is ours is no work of the cycle"
    small = difference(place.repository, place.checkout.git, 1, limit=1000)
    assert "+agent" in small
    assert "too big to show: big.bin" in small


def pruned(place: InPlace, days: float) -> Pruned:
    return prune(place.repository, place.checkout.git, place.checkout.clock, days=days)


def test_only_old_cycles_are_pruned_with_what_only_they_held(repo: Ground) -> None:
    repo.write(".env", "OLD=1\n")
    worked(repo, 1, keep=False, a_txt="one\n")
    repo.write(".env", "NEW=2\n")
    worked(repo, 2, keep=False, a_txt="two\n")
    place = repo.place()
    state = repo.top / ".git/ao"
    assert pruned(place, 30) == Pruned()
    for path in (*(state / "snapshots" / RUN / "1").iterdir(), *state.glob("blobs/*/*")):
        os.utime(path, (1, 1))
    done = pruned(place, 30)
    assert (done.refs, done.manifests) == (2, 2)
    assert done.blobs >= 1
    contents = [path.read_bytes() for path in state.glob("blobs/*/*")]
    assert b"NEW=2\n" in contents
    assert b"OLD=1\n" not in contents
    assert restored(repo, 2).branch
    with pytest.raises(UsageError):
        restored(repo, 1)


def test_a_second_look_keeps_the_first_ones_work_reachable(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "first\n")
    first = now.effect()
    repo.write("a.txt", "second\n")
    now.effect()
    repo.git("-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now")
    assert repo.git("show", f"{first.post.tree}:a.txt") == b"first\n"


def test_snapshots_are_in_no_log_and_survive_a_collection(repo: Ground) -> None:
    repo.write("note.txt", "mine\n")
    now = cycle(repo)
    repo.agent("clean", "-q", "-f", "-d")
    repo.agent("gc", "-q", "--prune=now")
    assert len(repo.log("--all")) == 2
    now.taken_back()
    now.is_as_before()


def test_a_parked_state_is_held_by_a_name_of_its_own(repo: Ground) -> None:
    now = cycle(repo)
    repo.write("a.txt", "half done\n")
    effect = now.effect()
    now.place.park(now.start, effect)
    assert repo.git("show", f"refs/ao/{RUN}/1/parked:a.txt") == b"half done\n"
