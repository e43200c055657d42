"""Real repositories, copied from one template so that a test costs little."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.git.ground import Ground


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small repository with two commits, some folders, and ignore rules."""
    base = tmp_path_factory.mktemp("template")
    ground = Ground(base / "repo", base / "home")
    ground.top.mkdir()
    ground.home.mkdir()
    (ground.home / ".gitconfig").write_text(
        "[user]\n\tname = Person\n\temail = person@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    ground.git("init", "-q")
    ground.write(".gitignore", "*.log\n/build/\n.env\nsecret/\n")
    for name in ("a.txt", "b.txt", "c.txt", "src/one.py", "src/two.py", "src/deep/three.py", "docs/read.md"):
        ground.write(name, f"{name} at the start\n")
    ground.write("run.sh", "#!/bin/sh\n", 0o755)
    (ground.top / "link").symlink_to("a.txt")
    ground.git("add", "-A")
    ground.git("commit", "-q", "-m", "start")
    ground.write("c.txt", "c.txt, second\n")
    ground.git("commit", "-q", "-a", "-m", "second")
    return base


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Ground:
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    ground = Ground(tmp_path / "repo", tmp_path / "home")
    ground.git("update-index", "-q", "--refresh")
    return ground
