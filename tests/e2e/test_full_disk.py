"""A disk that an agent fills: a pause, not an end, and nothing of the person's is lost (loop-peers C2-21)."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

AGENT = """#!/bin/sh
cat > /dev/null
[ "$AO_PHASE" = implementation ] || exit 0
[ -e {mark} ] || {{ touch {mark}; head -c 90000000 /dev/urandom > junk.bin; }}
touch a
"""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can't be mounted here")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_waited_for_and_the_session_goes_on(small_disk: Path, tmp_path: Path) -> None:
    repo, agent = small_disk / "repo", tmp_path / "agent.sh"
    agent.write_text(AGENT.format(mark=tmp_path / "filled"))
    agent.chmod(0o755)
    repo.mkdir()
    (repo / "GOALS.md").write_text("# G\nM.\n\n## Gates\n\n| ID | Check | Weight |\n|---|---|---|\n| a | `test -f a` | 5 |\n")
    who = ["-c", "user.name=p", "-c", "user.email=p@x"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    (repo / "mine.txt").write_text("not saved anywhere else")
    argv = [sys.executable, "-m", "agentops.cli.main", "evolve", "--max-cycles=1", "--agent-command", str(agent)]
    running = subprocess.Popen(argv, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ})
    assert running.stdout is not None
    try:
        said = b""
        while b"waiting for room" not in said:
            assert select.select([running.stdout], [], [], 60)[0], said
            piece = os.read(running.stdout.fileno(), 65536)
            assert piece, said
            said += piece
        (repo / "junk.bin").unlink()
        said += running.communicate(timeout=60)[0]
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
    assert running.returncode == 0, said
    rows = [json.loads(line) for line in (repo / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()]
    assert [(row["result"], row["reason"]) for row in rows] == [("unchanged", "interrupted"), ("improved", "target_reached")]
    assert (repo / "mine.txt").read_text() == "not saved anywhere else" and not (repo / "junk.bin").exists()
