"""What shows that work was done before, and what does not (agentops Q12, Q13)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentops.core.work import World
from agentops.records.proofs import proof_of
from agentops.records.queue import items
from agentops.records.queue_file import QueueFile
from agentops.work.harvested import Harvested
from tests.twins.time import VirtualClock, VirtualScope

CLOSURE = ".agents/council/evidence-only-closures/na-12.3.json"
GOOD = {"target_id": "na-12.3", "evidence_mode": "commit", "evidence": {"artifacts": ["a.md"]}}
RUN = ".agents/rpi/runs/r1/phased-state.json"
COMPLETED = {"run_id": "r1", "goal": "one", "epic_id": "e", "terminal_status": "completed"}


def write(top: Path, files: dict[str, object]) -> None:
    for name, content in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(json.dumps(content))


def row(**more: object) -> bytes:
    return json.dumps({"source_epic": "e", "items": [{"title": "one", "severity": "high", **more}]}).encode() + b"\n"


@pytest.mark.parametrize(
    ("item", "files"),
    [
        ({"proof_ref": {"kind": "completed_run", "run_id": "r1"}}, {RUN: COMPLETED}),
        ({"proof_ref": {"kind": "execution_packet", "path": ".agents/rpi/p.json"}}, {".agents/rpi/p.json": {"objective": "x"}}),
        ({"proof_ref": {"kind": "evidence_only_closure", "target_id": "na-12.3"}}, {CLOSURE: GOOD}),
        ({"description": "as na-12.3 found"}, {CLOSURE: GOOD}),
        ({}, {RUN: COMPLETED}),
    ],
)
def test_what_is_proven_is_consumed_before_anything_is_claimed(
    tmp_path: Path, item: dict[str, object], files: dict[str, object]
) -> None:
    write(tmp_path, files)
    path = tmp_path / "queue.jsonl"
    path.write_bytes(row(**item) + row(title="next", severity="low"))
    for leased in (False, True):
        source = Harvested(QueueFile(str(path)), now=lambda: "now", proof=lambda one: proof_of(one, str(tmp_path)), leased=leased)
        offer = source.offer(World(None), source.look(VirtualScope(VirtualClock())))
        assert [one.title for one in offer.items] == (["next"] if leased else ["one", "next"]), "a dry run consumes nothing"
    kept = json.loads(path.read_bytes().splitlines()[0])["items"][0]
    assert kept["consumed_by"] == "ao-rpi-loop:preflight" and kept["x_ao_evidence"].startswith("done before: ")


@pytest.mark.parametrize(
    ("item", "files"),
    [
        ({"description": "as na-12.3 found"}, {}),
        ({"failed_at": "2026-01-01T00:00:00Z"}, {}),
        ({"description": "na-12.3"}, {CLOSURE: {**GOOD, "evidence": {"artifacts": []}}}),
        ({"description": "na-12.3"}, {CLOSURE: {**GOOD, "target_id": "na-12.4"}}),
        ({"description": "na-12.3"}, {CLOSURE: {**GOOD, "evidence_mode": "hearsay"}}),
        ({"proof_ref": {"kind": "completed_run", "run_id": "r1"}}, {RUN: {**COMPLETED, "terminal_status": "failed"}}),
        ({"proof_ref": {"kind": "completed_run", "run_id": "../../r1"}}, {RUN: COMPLETED}),
        ({"proof_ref": {"kind": "execution_packet", "path": "../outside.json"}}, {"../outside.json": {"objective": "x"}}),
        ({"proof_ref": {"kind": "gate_log", "path": "x"}}, {"x": {"objective": "x"}}),
        ({"proof_ref": "r1"}, {}),
        ({}, {RUN: {**COMPLETED, "goal": "another"}}),
    ],
)
def test_a_mention_or_somebody_elses_proof_is_none(tmp_path: Path, item: dict[str, object], files: dict[str, object]) -> None:
    top = tmp_path / "repo"
    top.mkdir()
    write(top, files)
    (found,) = items(row(**item))
    assert proof_of(found, str(top)) is None
