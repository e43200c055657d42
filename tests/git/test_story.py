"""The commits of a session, each with whose it is, whatever stands in their messages."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentops.core.errors import GitFailed
from agentops.host.clock import SystemClock
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.host.scope import StopScope
from agentops.tree.refs import Moved
from agentops.tree.story import cycles, parse, story

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ann\u00e9 \x02",
    "GIT_AUTHOR_EMAIL": "a@x",
    "GIT_COMMITTER_NAME": "x",
    "GIT_COMMITTER_EMAIL": "x@x",
}


class Repo:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.git = Git(Launcher(SystemClock()), StopScope(SystemClock()), str(path), dict(os.environ))
        self.run("init", "-q", "-b", "main")
        self.first = self.commit("first", "a.txt", b"a\n")

    def run(self, *argv: str, **env: str) -> str:
        full = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": "/dev/null", **env}
        return subprocess.run(["git", *argv], cwd=self.path, env=full, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message: str, name: str, data: bytes, **env: str) -> str:
        (self.path / name).write_bytes(data)
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", message, **env)
        return self.run("rev-parse", "HEAD")

    def told(self, old: str, most: int = 200) -> list[tuple[str, int | None, int, int, int]]:
        found = story(self.git, str(self.path / ".git"), "s", old, self.run("rev-parse", "HEAD"), most)
        return [(one.title, one.cycle, one.files, one.added, one.deleted) for one in found.commits]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def test_ours_by_trailer_the_agents_by_mark_and_everybody_elses_is_a_persons(repo: Repo) -> None:
    repo.commit("work\n\nAo-Cycle: 3", "b.txt", b"1\n2\n")
    repo.commit("agent", "c.txt", b"x\n", GIT_REFLOG_ACTION="ao:s.2/4")
    repo.commit("agent of another night", "d.txt", b"x\n", GIT_REFLOG_ACTION="ao:t.1/9")
    repo.commit("mine", "a.txt", b"\x00\x01")
    assert repo.told(repo.first) == [
        ("work", 3, 1, 2, 0),
        ("agent", 4, 1, 1, 0),
        ("agent of another night", None, 1, 1, 0),
        ("mine", None, 1, 0, 0),
    ]


def test_messages_and_names_that_look_like_our_format_do_not_break_it(repo: Repo) -> None:
    repo.commit("%H %x00 \x1e\x01 1 file changed, 9 insertions(+)", "b.txt", b"1\n")
    repo.commit("\u202e\u00fc", "empty.txt", b"")
    repo.commit("nothing at all", "empty.txt", b"")
    assert [one[0] for one in repo.told(repo.first)][1:] == ["\u202e\u00fc", "nothing at all"]
    assert repo.told(repo.first)[0][2:] == (1, 1, 0) and repo.told(repo.first)[2][2:] == (0, 0, 0)


def test_of_many_commits_the_newest_are_listed_and_the_others_counted(repo: Repo) -> None:
    for number in range(5):
        repo.commit(f"c{number}", "b.txt", b"%d" % number)
    found = story(repo.git, str(repo.path / ".git"), "s", repo.first, repo.run("rev-parse", "HEAD"), 2)
    assert ([one.title for one in found.commits], found.more) == (["c3", "c4"], 3)
    assert repo.told(repo.run("rev-parse", "HEAD")) == [] and repo.told("") == []


def test_a_start_that_is_gone_is_an_error_of_gits_and_no_traceback(repo: Repo) -> None:
    with pytest.raises(GitFailed):
        story(repo.git, str(repo.path / ".git"), "s", "0" * 39 + "1", repo.first)


def test_what_is_cut_off_in_the_middle_gives_the_whole_ones_before_it() -> None:
    assert parse(b"", {}) == []
    assert [one.sha for one in parse(b"aa\x001\x00n\x00\x00t\x00\n\n 1 file changed, 1 insertion(+)\nbb\x002\x00n", {})] == ["aa"]


def test_marks_of_other_sessions_and_odd_ones_are_no_marks() -> None:
    moves = [
        Moved("", one, message)
        for one, message in (("a", "ao:s.1/7: x"), ("b", "ao:s.1/7x"), ("c", "ao:ss.1/7"), ("d", "commit"))
    ]
    assert cycles(moves, "s") == {"a": 7}
