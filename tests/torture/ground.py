"""A scratch folder for one trial: a repository, a home, and a control folder through which agent and torture meet."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.paths import PATH

MARK = "TORTURE_ID"
"""Inherited by everything a trial starts: finds what is left of it without asking the product."""
GONE_SECONDS = 5.0
GITCONFIG = "[user]\n\tname = Person\n\temail = person@localhost\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"


@dataclass(frozen=True, slots=True)
class Ground:
    """`folder` holds `repo`, `home` and `control`; everything of a trial lies below it."""

    folder: Path

    @property
    def repo(self) -> Path:
        return self.folder / "repo"

    @property
    def control(self) -> Path:
        return self.folder / "control"

    @property
    def state(self) -> Path:
        return self.repo / ".git" / "ao"

    @property
    def mark(self) -> str:
        return self.folder.name

    def env(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """A small environment: nothing of the machine's own settings decides a trial."""
        return {
            "PATH": PATH,
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            MARK: self.mark,
            **(more or {}),
        }

    def git(self, *argv: str | bytes, data: bytes | None = None, check: bool = True, locks: bool = True) -> bytes:
        """Git as the person types it; stdout. Raises with what git said. `locks` off: a look that leaves no trace."""
        env = self.env({} if locks else {"GIT_OPTIONAL_LOCKS": "0"})
        done = subprocess.run(["git", *argv], cwd=self.repo, env=env, input=data, capture_output=True, check=False)
        if check and done.returncode:
            raise RuntimeError(f"git {argv}: {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def drop(self) -> None:
        """Remove everything, also what modes forbid."""
        shutil.rmtree(self.folder, onerror=_force)


def _force(function: object, path: str, _: object) -> None:
    with suppress(OSError):
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700)
        os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


def scratch() -> str:
    """Memory where there is some: a trial writes a few hundred small files and syncs them all."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()


def new_ground() -> Ground:
    """An empty repository with a home and the two pipes."""
    ground = Ground(Path(tempfile.mkdtemp(prefix="ao-torture-", dir=scratch())))
    for name in ("repo", "home", "control"):
        (ground.folder / name).mkdir()
    (ground.folder / "home" / ".gitconfig").write_text(GITCONFIG)
    for pipe in ("said", "go"):
        os.mkfifo(ground.control / pipe)
    ground.git("init", "--quiet", "--template=")
    return ground


def copy_of(template: Ground) -> Ground:
    """The same ground once more, times of files kept."""
    folder = Path(tempfile.mkdtemp(prefix="ao-torture-", dir=scratch()))
    subprocess.run(["cp", "-a", f"{template.folder}/.", str(folder)], check=True)
    return Ground(folder)


def leftovers(mark: str, needle: str = "") -> dict[int, str]:
    """Living processes that carry the mark, with their command lines; of those, the ones whose line holds `needle`."""
    found: dict[int, str] = {}
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with suppress(OSError):
            if wanted not in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                continue
            if Path("/proc", name, "stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                continue
            line = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if needle in line:
                found[int(name)] = line
    return found


def survivors(mark: str, seconds: float = GONE_SECONDS) -> dict[int, str]:
    """Those that are still there after `seconds`; returns as soon as there is none."""
    deadline = time.monotonic() + seconds
    while (found := leftovers(mark)) and time.monotonic() < deadline:
        for pid in found:
            with suppress(OSError):
                fd = os.pidfd_open(pid)
                try:
                    poller = select.poll()
                    poller.register(fd, select.POLLIN)
                    poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
                finally:
                    os.close(fd)
    return found


def end_all(mark: str) -> None:
    """End what a failed trial left: only processes that carry its mark."""
    for pid in leftovers(mark):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    survivors(mark)
