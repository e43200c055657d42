"""Finished work that could not be booked: never run again, tried again, and said first (agentops Q21)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.processes import Ended
from agentops.core.work import Attempt, Claimed, Worker, WorkItem
from agentops.core.work import World as Facts
from agentops.evolve.report import AttentionKind
from agentops.evolve.supervisor import Supervisor
from agentops.evolve.unbooked import Owed, Unbooked
from agentops.policy.settings import Settings
from agentops.records.queue_file import QueueFile
from agentops.work.harvested import Harvested
from agentops.work.ladder import Ladder
from tests.twins.loop import World
from tests.twins.place import TwinPlace

DONE = Verdict(Result.IMPROVED, Reason(ReasonKind.TARGET_REACHED), keep=True)


class Builder:
    """Does the work; meanwhile another tool rewrites the queue and takes our claim over."""

    name = "remedy"

    def __init__(self, tree: TwinPlace, queue: Path, steals: bool) -> None:
        self.tree, self.queue, self.steals, self.worked = tree, queue, steals, 0

    def declines(self, item: WorkItem) -> str | None:
        return None

    def work(self, item: WorkItem, *_: object, **__: object) -> Attempt:
        self.worked += 1
        self.tree.write("made", b"%d" % self.worked)
        if self.steals:
            row = json.loads(self.queue.read_text())
            row["items"][0].update(claimed_by="other-tool", x_ao_token="other")
            self.queue.write_text(json.dumps(row) + "\n")
        return Attempt(self.name, Ended.OK, Claimed.DONE)


def queue_of(tmp_path: Path) -> Path:
    path = tmp_path / "next-work.jsonl"
    path.write_text('{"source_epic":"e","items":[{"title":"one","severity":"high"}]}\n')
    return path


def test_it_is_run_once_kept_over_starts_and_booked_when_the_way_is_free(tmp_path: Path) -> None:
    world, path = World(1, crashes=0.0, flaky=0.0), queue_of(tmp_path)
    for goal in range(8):
        world.tree.write(f"g{goal}", b"good")
    builder = Builder(world.tree, path, steals=True)
    for at, name in enumerate(("s1", "s2", "s3")):
        world.journal.begin_session(name, head=world.tree.commits[-1], last_cycle=world.journal.last_cycle())
        parts, scope = world.parts(name, f"{name}.1", Settings(max_cycles=3))
        source = Harvested(QueueFile(str(path)), home="h", run=name, number=lambda: 1, now=lambda: "2026-01-01T00:00:00Z")
        ladder = Ladder((source,))
        unbooked = Unbooked(str(tmp_path / "unbooked.json"))
        report = Supervisor(replace(parts, ladder=ladder, workers=(builder,), unbooked=unbooked)).run(scope)
        owed = [one for one in report.attention if one.kind is AttentionKind.UNBOOKED]
        assert len(owed) == (1 if at < 2 else 0) and report.attention[:1] == tuple(owed[:1])
        if at == 1:
            row = json.loads(path.read_text())
            row["items"][0].update(claim_status="available", claimed_by=None)
            path.write_text(json.dumps(row) + "\n")
    assert builder.worked == 1
    assert json.loads(path.read_text())["items"][0]["consumed"] is True


def test_a_damaged_file_of_ours_owes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "unbooked.json"
    path.write_bytes(b'[{"cycle":')
    assert Unbooked(str(path)).owed == ()


def test_a_removed_row_has_nothing_to_book(tmp_path: Path) -> None:
    path = queue_of(tmp_path)
    source = Harvested(QueueFile(str(path)), home="h", run="r", number=lambda: 1, now=lambda: "x")
    item = source.offer(Facts(None), source.look(None)).items[0]  # type: ignore[arg-type]
    token = source.claim(item)
    assert token is not None
    path.write_text("")
    source.settle(item, token, DONE)
    path.unlink()
    source.settle(item, token, DONE)


@pytest.mark.parametrize("times", [1, 2])
def test_owing_and_booking_twice_is_owing_and_booking_once(tmp_path: Path, times: int) -> None:
    path = queue_of(tmp_path)
    source = Harvested(QueueFile(str(path)), home="h", run="r", number=lambda: 1, now=lambda: "x")
    item = source.offer(Facts(None), source.look(None)).items[0]  # type: ignore[arg-type]
    token = source.claim(item)
    assert token is not None
    unbooked = Unbooked(str(tmp_path / "unbooked.json"))
    for _ in range(times):
        unbooked.add(Owed(1, item, token, DONE, "why"))
    assert len(Unbooked(str(tmp_path / "unbooked.json")).owed) == 1 and list(unbooked.keys()) == ["one"]
    for _ in range(times):
        unbooked.retry(Ladder((source,)))
    assert unbooked.owed == () and json.loads(path.read_text())["consumed"] is True


def test_the_twin_is_a_worker() -> None:
    worker: Worker = Builder(World(1).tree, Path(), steals=False)
    assert worker.name == "remedy"
