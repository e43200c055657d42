"""Making the small real repository that `ao demo` works on, with a history of its own and what earlier sessions left in it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.app.demo_project import HISTORY, QUEUE, Commit
from agentops.core import wire
from agentops.core.errors import EnvironmentUnusable, UsageError
from agentops.core.judging import Result
from agentops.core.stops import Scope
from agentops.evolve.own_files import LEDGER
from agentops.evolve.session_ids import run_id
from agentops.host.environment import clean_environment, resolve
from agentops.host.faults import fault
from agentops.host.files import append_line, ensure_folder, write_atomic
from agentops.host.git import Git
from agentops.host.launcher import Launcher
from agentops.records import rows
from agentops.records.times import utc_text
from agentops.tree.changes import NEXT_WORK

_DAY = 86400.0


def make(folder: str, env: Mapping[str, str], host: Launcher, scope: Scope) -> str:
    """Write the repository into `folder`, which must not exist or be empty; returns its absolute path.

    Raises UsageError for a folder that holds something, EnvironmentUnusable without git, bash or python3.
    """
    clean, _ = clean_environment(env)
    for tool in ("git", "bash", "python3"):
        if resolve(tool, clean) is None:
            raise EnvironmentUnusable(f"the demo needs {tool}, and it is not on PATH", mend=f"install {tool}")
    path = os.path.abspath(folder)
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise UsageError(f"{path} is there already and not empty", mend="ao demo --into NEW-FOLDER")
    fault("demo.make.before")
    ensure_folder(path, 0o755)
    git = Git(host, scope, path, clean)
    git.run("init", "--quiet", "--template=", writes=True)
    git.run("symbolic-ref", "HEAD", "refs/heads/main", writes=True)
    # its own identity: a fresh machine has none, and the demo must not depend on it
    git.run("config", "user.name", "Demo", writes=True)
    git.run("config", "user.email", "demo@localhost", writes=True)
    git.run("config", "commit.gpgsign", "false", writes=True)
    now = scope.clock.now().wall
    for number, commit in enumerate(HISTORY):
        _make(commit, number, path, git, now - commit.days * _DAY)
    return path


def _make(commit: Commit, before: int, path: str, git: Git, at: float) -> None:
    """One commit at that time; `before` is how many there are already."""
    for name, text in commit.files.items():
        write_atomic(os.path.join(path, name), text.encode(), mode=0o644, durable=False)
    if commit.row:
        write_atomic(os.path.join(path, "BUILD"), f"{before}\n".encode(), mode=0o644, durable=False)
        _earlier_session(commit, before, path, at)
    git.run("add", "--all", writes=True)
    when = {"GIT_AUTHOR_DATE": f"@{at:.0f} +0000", "GIT_COMMITTER_DATE": f"@{at:.0f} +0000"}
    git.run("commit", "--quiet", "--message", commit.title, writes=True, env_extra=when)


def _earlier_session(commit: Commit, before: int, path: str, at: float) -> None:
    """What a session of that day wrote: its row, and what it found and did not do."""
    session = f"{utc_text(at)[:10].replace('-', '')}-2304-de{before:02d}"
    ledger = os.path.join(path, LEDGER)
    row = rows.CycleRow(
        cycle=rows.last_cycle(ledger) + 1,
        target=commit.row,
        result=Result.IMPROVED,
        timestamp=utc_text(at),
        reason="target_reached",
        session_id=session,
        run_id=run_id(session, 1),
        source="goal",
        worker="remedy",
    )
    rows.append(ledger, row)
    if commit.queues:
        entry = {
            "source_epic": "tally-0.2",
            "timestamp": utc_text(at),
            "items": [QUEUE],
            "consumed": False,
            "claim_status": "available",
            "claimed_by": None,
            "claimed_at": None,
            "consumed_by": None,
            "consumed_at": None,
        }
        append_line(os.path.join(path, NEXT_WORK), wire.dump(entry), mode=0o644, durable=False)
