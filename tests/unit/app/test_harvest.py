"""Follow-ups of a session's end in the work queue: upstream's shape, and each once as long as it waits there."""

from __future__ import annotations

import json
from pathlib import Path

from agentops.app.harvest import harvest, quality
from agentops.evolve.report import FollowUp
from agentops.records.queue_file import QueueFile

FLAKY = FollowUp('post-mortem|flaky|t "x"', "Make the check `t` reliable", "bug", "medium", "Do it.", "cycles 1, 4")
RESTS = FollowUp("post-mortem|resting|g", "Find out why `g` resists", "improvement", "medium", "Three tries.", "it rests", True)


def _queue(tmp_path: Path) -> QueueFile:
    return QueueFile(str(tmp_path / ".agents/rpi/next-work.jsonl"))


def _harvest(file: QueueFile, *found: FollowUp) -> list[str]:
    return [one.key for one in harvest(file, found, epic="evolve-s", wall=1_796_000_000.0, repo="demo")]


def test_one_row_a_session_with_every_field_that_upstream_requires(tmp_path: Path) -> None:
    file = _queue(tmp_path)
    assert _harvest(file, FLAKY, RESTS) == [FLAKY.key, RESTS.key]
    (row,) = [json.loads(line) for line in Path(file.path).read_text().splitlines()]
    assert set(row) == {
        *("source_epic", "timestamp", "items", "consumed", "claim_status"),
        *("claimed_by", "claimed_at", "consumed_by", "consumed_at"),
    }
    for item in row["items"]:
        assert all(isinstance(item[name], str) for name in ("title", "type", "severity", "source", "description", "target_repo"))
    assert [item.get("requires") for item in row["items"]] == [None, ["human-review"]]


def test_what_waits_there_is_not_written_again_and_what_was_done_is(tmp_path: Path) -> None:
    file = _queue(tmp_path)
    _harvest(file, FLAKY)
    before = Path(file.path).read_bytes()
    assert _harvest(file, FLAKY) == [] and Path(file.path).read_bytes() == before
    assert _harvest(file, FLAKY, RESTS) == [RESTS.key]
    done = (
        Path(file.path)
        .read_text()
        .replace('"consumed":false,"claim_status":"available"', '"consumed":true,"claim_status":"consumed"')
    )
    Path(file.path).write_text(done)
    assert _harvest(file, FLAKY) == [FLAKY.key]


def test_nothing_found_writes_nothing(tmp_path: Path) -> None:
    file = _queue(tmp_path)
    assert _harvest(file) == [] and not Path(file.path).exists() and quality(file, "") is None


def test_the_score_counts_items_that_are_open(tmp_path: Path) -> None:
    file = _queue(tmp_path)
    _harvest(file, FLAKY, RESTS)
    with Path(file.path).open("a") as out:
        out.write('{"title":"old flat row","severity":"high"}\nno row at all\n')
        out.write('{"items":[{"title":"done","severity":"high","consumed":true},{"title":"odd","severity":"dire"}]}\n')
    found = quality(file, "now")
    assert found is not None and (found.high, found.medium, found.score) == (1, 2, 84)
