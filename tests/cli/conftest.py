"""Real `ao` processes on real repositories."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.paths import PATH

AO = str(Path(sys.executable).with_name("ao"))
GOALS = """\
# Small

## Gates

| ID | Check | Weight | Description | Fix |
|----|-------|--------|-------------|-----|
| kept | `test -f kept.txt` | 5 | The file is there | `echo kept > kept.txt` |
| passes | `true` | 9 | Always | |
"""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended. `out` and `err` are text; bytes that are no UTF-8 show as escapes."""

    code: int
    out: str
    err: str

    def refused(self, code: int, *words: str) -> None:
        """It ended with that code, one line that says what is wrong (with these words), one that says what to do."""
        assert self.code == code, self
        assert "Traceback" not in self.err + self.out, self
        lines = self.err.splitlines()
        said = [line for line in lines if line.startswith("ao: ")]
        assert len(said) == 1, self
        assert any(line.startswith(("  → ", "  -> ")) for line in lines), self
        for word in words:
            assert word in self.err, self


Ao = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with nothing in it."""
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """What a person's shell would have, and nothing of the machine that the tests run on."""
    return {
        "PATH": PATH,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "GIT_AUTHOR_NAME": "Person",
        "GIT_AUTHOR_EMAIL": "person@localhost",
        "GIT_COMMITTER_NAME": "Person",
        "GIT_COMMITTER_EMAIL": "person@localhost",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture
def ao(environment: dict[str, str]) -> Ao:
    """Run `ao` with these words, here, to its end."""

    def run(
        *words: str | bytes,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        only: Mapping[str, str] | None = None,
        **given: object,
    ) -> Done:
        full = dict(only) if only is not None else {**environment, **(env or {})}
        done = subprocess.run(
            [AO, *words], cwd=cwd, env=full, stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False
        )
        return Done(
            done.returncode, done.stdout.decode("utf-8", "backslashreplace"), done.stderr.decode("utf-8", "backslashreplace")
        )

    return run


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository and a few verbs."""

    path: Path
    env: Mapping[str, str]

    def git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(["git", *words], cwd=self.path, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def commits(self, title: str, **files: str) -> None:
        for name, text in files.items():
            (self.path / name.replace("__", ".")).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", title)


@pytest.fixture
def empty_repo(tmp_path: Path, environment: dict[str, str]) -> Repo:
    """A repository without a commit."""
    made = Repo(tmp_path / "repo", environment)
    made.path.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def repo(empty_repo: Repo) -> Repo:
    """One commit, one goal that fails and can be mended, one that passes."""
    empty_repo.commits("start", GOALS__md=GOALS)
    return empty_repo
