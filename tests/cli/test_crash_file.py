"""What should not have happened: one line on the screen, everything else in a file that is ready to paste."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import Ao, Done, Repo

BROKEN = {"AO_FAULT": "demo.make.before:1:error"}


def _crash_file(done: Done) -> Path:
    done.refused(1, "should not have")
    found = re.search(r"→ (\S+) has all", done.err)
    assert found, done.err
    return Path(found[1])


def test_outside_a_repository_it_lies_with_the_temporary_files(ao: Ao, tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    done = ao(
        "demo", "--folder", "d", cwd=tmp_path, env={**BROKEN, "TMPDIR": str(tmp_path / "tmp"), "SECRET_TOKEN": "hunter2hunter2"}
    )
    file = _crash_file(done)
    assert file.parent == tmp_path / "tmp"
    text = file.read_text()
    for word in ("ao 0.", "python", "ao demo --folder d", "fault injected at demo.make.before", "Traceback"):
        assert word in text, word
    assert "hunter2" not in text, "the environment is not for reports"
    assert file.stat().st_mode & 0o077 == 0


def test_in_a_repository_that_has_a_state_folder_it_lies_there(ao: Ao, repo: Repo) -> None:
    (repo.path / ".git/ao").mkdir()
    assert _crash_file(ao("demo", "--folder", "d", cwd=repo.path, env=BROKEN)).parent == repo.path / ".git/ao"


def test_in_a_linked_worktree_it_lies_in_the_common_folder(ao: Ao, repo: Repo, tmp_path: Path) -> None:
    (repo.path / ".git/ao").mkdir()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    file = _crash_file(ao("demo", "--folder", "d", cwd=tmp_path / "linked", env=BROKEN))
    assert file.parent.resolve() == (repo.path / ".git/ao").resolve()


def test_a_file_that_cannot_be_written_is_no_second_crash(ao: Ao, tmp_path: Path) -> None:
    broken = {"AO_FAULT": "demo.make.before:1:error,files.write.before:1:enospc,files.write.before:2:enospc"}
    done = ao("demo", "--folder", "d", cwd=tmp_path, env=broken)
    done.refused(1, "should not have")
