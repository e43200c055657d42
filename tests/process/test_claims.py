"""Two consumers of one work queue: real processes, one file, never the same item twice (agentops Q1)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIM = """
import sys
from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.work import World
from agentops.records.queue_file import QueueFile
from agentops.work.harvested import Harvested

path, who = sys.argv[1], sys.argv[2]
source = Harvested(QueueFile(path), home=who, run=who, number=lambda: 1, now=lambda: "2026-04-02T10:00:00Z")
done = Verdict(Result.IMPROVED, Reason(ReasonKind.TARGET_REACHED), keep=True)
while items := source.offer(World(None), source.look(None)).items:
    token = source.claim(items[0])
    if token is not None:
        print(items[0].title, flush=True)
        source.settle(items[0], token, done)
"""
CONSUME = CLAIM.replace("while items", "if items")


def python(script: str, path: Path, who: str, fault: str = "") -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "AO_FAULT": fault}
    return subprocess.Popen([sys.executable, "-c", script, str(path), who], env=env, stdout=subprocess.PIPE, text=True)


def queue(tmp_path: Path, count: int) -> Path:
    path = tmp_path / "next-work.jsonl"
    rows = [{"source_epic": "e", "items": [{"title": f"t{at}", "severity": "low"}]} for at in range(count)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def items(path: Path) -> list[dict[str, object]]:
    return [item for line in path.read_text().splitlines() for item in json.loads(line)["items"]]


def test_two_processes_that_claim_at_once_never_get_the_same_item(tmp_path: Path) -> None:
    path = queue(tmp_path, 40)
    running = [python(CLAIM, path, who) for who in ("one", "two")]
    taken = [title for one in running for title in one.communicate(timeout=60)[0].split()]
    assert sorted(taken) == sorted({f"t{at}" for at in range(40)}), "each item once, none left"
    assert all(item["consumed"] for item in items(path))


@pytest.mark.parametrize(
    "fault",
    ["queue.book.before:1:kill", "files.rewrite.before:2:kill", "files.rename.before:2:kill", "files.rename.after:2:kill"],
)
def test_a_process_that_dies_while_booking_leaves_a_claim_that_the_next_start_frees_or_a_booked_item(
    tmp_path: Path, fault: str
) -> None:
    path = queue(tmp_path, 2)
    died = python(CONSUME, path, "one", fault)
    assert died.communicate(timeout=60)[0].split() == ["t0"] and died.returncode == -9
    first, second = items(path)
    assert (first.get("consumed") is True) == (fault == "files.rename.after:2:kill"), "whole or not at all"
    assert "claim_status" not in second
    again = python(CLAIM, path, "one")
    assert again.communicate(timeout=60)[0].split() == (["t1"] if first.get("consumed") else ["t0", "t1"])


def test_another_repositorys_claim_is_not_freed(tmp_path: Path) -> None:
    path = queue(tmp_path, 2)
    assert python(CONSUME, path, "one", "queue.book.before:1:kill").wait(timeout=60) == -9
    assert python(CLAIM, path, "two").communicate(timeout=60)[0].split() == ["t1"]
