"""`git add -A` takes a person's unfinished work along: keeping gives it back to them (design-review E17)."""

from __future__ import annotations

from tests.git.ground import Ground, cycle, differing


def sweep(repo: Ground, message: str = "sweep") -> None:
    repo.agent("add", "-A", check=True)
    repo.agent("commit", "-q", "-m", message, check=True)


def unfinished(repo: Ground) -> None:
    repo.write("b.txt", "mine\n")
    repo.write("note.txt", "untracked\n", 0o600)
    repo.write("c.txt", "staged\n")
    repo.git("add", "c.txt")
    repo.write("c.txt", "staged, then changed\n")


def test_keeping_gives_swept_work_back(repo: Ground) -> None:
    unfinished(repo)
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    sweep(repo)
    effect = now.effect()
    assert effect.swept == {"b.txt", "note.txt", "c.txt"}
    done = now.place.keep(now.start, effect, "work")
    assert not done.contested
    assert repo.git("show", "--format=%s", "--name-only", "HEAD").split() == [b"sweep", b"a.txt"]
    after = repo.look()
    assert after.files.keys() == now.before.files.keys()
    assert repo.git("status", "--porcelain") == b" M b.txt\nMM c.txt\n?? note.txt\n"
    assert repo.git("show", ":c.txt") == b"staged\n"
    assert set(differing(now.before, after)["files"]) == {b"a.txt"}  # type: ignore[call-overload]


def test_messages_authors_and_times_survive_and_an_empty_commit_falls_out(repo: Ground) -> None:
    unfinished(repo)
    now = cycle(repo)
    repo.agent("add", "note.txt")
    repo.agent("commit", "-q", "-m", "only theirs", "--", "note.txt")
    repo.write("a.txt", "agent\n")
    repo.agent(
        "commit", "-q", "-m", "first\n\nbody", "--author=Ada <ada@example.org>", "--date=2001-02-03T04:05:06Z", "--", "a.txt"
    )
    repo.write("d.txt", "agent\n")
    sweep(repo, "second of the agent")
    now.kept()
    assert repo.log("-3") == ["second of the agent", "first", "second"]
    said = repo.git("log", "-1", "--skip=1", "--format=%an %ae %aI %b").decode().split("\n")[0]
    assert said == "Ada ada@example.org 2001-02-03T04:05:06Z body" or said.startswith("Ada ada@example.org 2001-02-03T04:05:06")
    assert repo.git("status", "--porcelain") == b" M b.txt\nMM c.txt\n?? note.txt\n"


def test_a_path_changed_by_both_is_contested_and_stays_as_it_is(repo: Ground) -> None:
    unfinished(repo)
    now = cycle(repo)
    repo.write("b.txt", "mine and the agent's\n")
    sweep(repo)
    done = now.kept()
    assert done.contested == {"b.txt"}
    assert repo.read("b.txt") == b"mine and the agent's\n"
    assert repo.git("status", "--porcelain") == b"MM c.txt\n?? note.txt\n"


def test_pushed_commits_are_not_rewritten(repo: Ground) -> None:
    repo.git("init", "-q", "--bare", str(repo.home / "remote.git"))
    repo.git("remote", "add", "origin", str(repo.home / "remote.git"))
    unfinished(repo)
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    sweep(repo)
    repo.agent("push", "-q", "origin", "main", check=True)
    head = repo.git("rev-parse", "HEAD")
    done = now.kept()
    assert done.contested == {"b.txt", "note.txt", "c.txt"}
    assert repo.git("rev-parse", "HEAD") == head
    assert any("pushed" in note for note in done.notes)


def test_commits_under_someone_elses_are_not_rewritten(repo: Ground) -> None:
    unfinished(repo)
    now = cycle(repo)
    sweep(repo)
    repo.write("person.txt")
    repo.person_commits("person.txt")
    head = repo.git("rev-parse", "HEAD")
    done = now.kept()
    assert done.contested == {"b.txt", "note.txt", "c.txt"}
    assert repo.git("rev-parse", "HEAD") == head


def test_a_swept_key_is_back_out_of_the_commits(repo: Ground) -> None:
    repo.write("server.pem", "PEM\n", 0o600)
    now = cycle(repo)
    repo.write("a.txt", "agent\n")
    sweep(repo)
    now.kept()
    assert repo.git("ls-files", "server.pem") == b""
    assert repo.git("log", "--format=%h", "HEAD", "--", "server.pem") == b""
    assert repo.git("status", "--porcelain") == b"?? server.pem\n"


def test_unfinished_work_that_the_agent_went_on_with_stays_uncommitted_and_is_named(repo: Ground) -> None:
    unfinished(repo)
    now = cycle(repo)
    repo.write("b.txt", "mine, continued\n")
    done = now.kept()
    assert not done.contested
    assert any("b.txt" in note for note in done.notes)
    assert repo.git("status", "--porcelain") == b" M b.txt\nMM c.txt\n?? note.txt\n"


def test_a_merge_that_swept_is_rebuilt(repo: Ground) -> None:
    repo.write("note.txt", "untracked\n")
    now = cycle(repo)
    repo.agent("checkout", "-q", "-b", "side")
    repo.write("side.txt")
    repo.agent("add", "side.txt", "note.txt")
    repo.agent("commit", "-q", "-m", "side")
    repo.agent("checkout", "-q", "main")
    repo.write("a.txt", "agent\n")
    repo.agent("commit", "-q", "-a", "-m", "main work")
    repo.agent("merge", "-q", "--no-ff", "-m", "merge", "side", check=True)
    done = now.kept()
    assert not done.contested, done
    assert repo.git("ls-tree", "--name-only", "HEAD", "note.txt") == b""
    assert len(repo.git("log", "-1", "--format=%P").split()) == 2
    assert repo.read("note.txt") == b"untracked\n"
