"""The work queue as upstream's command reads and rewrites it, case by case; and where we differ, on purpose.

`HELD` are recorded choices that ours must equal. `DIFFERENT` are recorded choices that ours must not make: each is a defect
there, and each is explained in docs/compatibility.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentops.core.judging import Reason, ReasonKind, Result, Verdict
from agentops.core.work import WorkItem, World
from agentops.records.queue_file import QueueFile
from agentops.work.harvested import Harvested
from agentops.work.queue_ranking import rank
from tests.twins.time import VirtualClock, VirtualScope

COMPATIBILITY = Path(__file__).resolve().parents[2] / "docs" / "compatibility.md"
NOW = "2026-04-02T10:00:00Z"


def item(title: str, severity: str = "high", **more: object) -> dict[str, object]:
    return {"title": title, "type": "task", "severity": severity, "source": "syn", "description": f"d {title}", **more}


def row(*items: dict[str, object], **more: object) -> str:
    made = {"source_epic": "ep", "timestamp": "2026-01-01T00:00:00Z", "items": list(items), "consumed": False}
    return json.dumps({**made, "consumed_by": None, "consumed_at": None, **more})


@dataclass(frozen=True, slots=True)
class Case:
    """`chosen`: the title that is taken first; None when nothing is. `said`: a reason that some passed-over line gives."""

    name: str
    content: str | bytes
    chosen: str | None
    said: str = ""
    repo: str = ""

    @property
    def data(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode()


LOW, MED, HIGH = row(item("low", "low")), row(item("med", "medium")), row(item("hi"))

HELD = [
    Case("nw-001 the highest severity first", f"{LOW}\n{MED}\n{HIGH}\n", "hi"),
    Case(
        "nw-002 among equals the earlier line, then the earlier item", row(item("first"), item("second")) + f"\n{HIGH}\n", "first"
    ),
    Case(
        "nw-005 work before process before the rest",
        "\n".join(row(item(kind, type=kind)) for kind in ("process-improvement", "research", "bug")),
        "bug",
    ),
    Case(
        "nw-008 consumed by flag or by status",
        "\n".join([row(item("a", consumed=True)), row(item("b", claim_status="consumed")), LOW]),
        "low",
    ),
    Case(
        "nw-010 the items' own lifecycle beats the row's",
        row(item("a", consumed=True), item("b", "low"), consumed=True),
        "b",
    ),
    Case(
        "nw-011 flat rows of old",
        '{"id":"L1","title":"legacy flat","type":"bug","severity":"medium","consumed":false}\n' + LOW,
        "legacy flat",
    ),
    Case("nw-012 a flat row that is consumed", '{"title":"legacy done","severity":"high","consumed":true}\n' + LOW, "low"),
    Case("nw-013 a malformed line in the middle", f"{LOW}\n{{not json\n{HIGH}\n", "hi", "it is no JSON object"),
    Case("nw-014 a torn last line", f'{LOW}\n{{"source_epic": "ep", "', "low", "it is no JSON object"),
    Case("nw-017 carriage returns", f"{LOW}\r\n{HIGH}\r\n", "hi"),
    Case(
        "nw-020 the siblings of a consumed item stay free",
        row(item("a", consumed=True), item("b", "medium")) + f"\n{LOW}",
        "b",
    ),
    Case("nw-022 no file is an empty queue", "", None),
    Case("nw-025 blank lines", f"\n\n   \n{LOW}\n\t\n", "low"),
    Case(
        "nw-029 keys however they are capitalised",
        f'{{"Items":[{{"TITLE":"shout","Severity":"high"}}],"CONSUMED":false}}\n{MED}',
        "shout",
    ),
    Case("nw-030 an unknown claim status is none", row(item("odd", claim_status="paused")) + f"\n{MED}", "odd"),
    Case("nw-031 consumed beats in progress", row(item("x", consumed=True, claim_status="in_progress")) + f"\n{MED}", "med"),
    Case("an empty harvest is no odd line", row() + f"\n{LOW}", "low"),
    Case("a row of another kind is kept and said", f'{{"note":"hello"}}\n{LOW}', "low", "no work item in it"),
    Case("items that never failed come first", row(item("tried", failed_at=NOW)) + f"\n{LOW}", "low"),
    Case(
        "proposed, unknown and review items are held",
        "\n".join(
            [row(item("p", status="proposed")), row(item("u", status="what")), row(item("r", requires=["human-review"])), LOW]
        ),
        "low",
        "it is held",
    ),
    Case("a requirement that is a plain text holds as well", row(item("r", requires="human-review")) + f"\n{LOW}", "low", "held"),
    Case(
        "another repository's item is not taken",
        row(item("other", target_repo="b")) + f"\n{LOW}",
        "low",
        "another repository",
        "a",
    ),
    Case(
        "this repository's item comes first",
        "\n".join([HIGH, row(item("all", target_repo="*")), row(item("own", "low", target_repo="a"))]),
        "own",
        repo="a",
    ),
    Case("without a filter every repository's item counts", row(item("other", target_repo="b")) + f"\n{LOW}", "other"),
]

DIFFERENT = [
    Case("nw-007", row(item("claimed", claim_status="in_progress", claimed_by="dead", claimed_at="2020-01-01T00:00:00Z")), None,
         "dead has claimed it since 2020-01-01T00:00:00Z; `ao queue release 1.1` frees it"),
    Case("nw-016", f"{LOW}\n{row(item('huge', 'medium', evidence='x' * 3_000_000))}\n{HIGH}\n", "hi"),
    Case("nw-018", b"\xef\xbb\xbf" + f"{HIGH}\n{LOW}\n".encode(), "hi"),
    Case("nw-021", "\n".join([LOW, MED, row(item("crit", "critical")), row(item("HIGH", "HIGH"))]), "crit"),
    Case("nw-026", row(item("")) + f"\n{LOW}", "low", "it has no title"),
]  # fmt: skip


def source(tmp_path: Path, data: bytes, repo: str = "", **more: object) -> Harvested:
    path = tmp_path / "next-work.jsonl"
    if data:
        path.write_bytes(data)
    return Harvested(QueueFile(str(path)), repo=repo, home="h0me", run="s.1", number=lambda: 7, now=lambda: NOW, **more)  # type: ignore[arg-type]


def first(found: Harvested) -> WorkItem | None:
    scope = VirtualScope(VirtualClock())
    return next(iter(found.offer(World(None), found.look(scope)).items), None)


@pytest.mark.parametrize("case", [*HELD, *DIFFERENT], ids=lambda case: case.name)
def test_what_is_taken_first(case: Case, tmp_path: Path) -> None:
    found = source(tmp_path, case.data, case.repo)
    taken = first(found)
    assert (taken.title if taken else None) == case.chosen
    passed = found.offer(World(None), found.look(VirtualScope(VirtualClock()))).passed_over
    assert any(case.said in one.why for one in passed) if case.said else not any("JSON" in one.why for one in passed)


@pytest.mark.parametrize("case", DIFFERENT, ids=lambda case: case.name)
def test_every_difference_is_explained(case: Case) -> None:
    assert f"`{case.name.split()[0]}`" in COMPATIBILITY.read_text("utf-8")


def claimed(tmp_path: Path, data: bytes) -> tuple[Harvested, WorkItem, str]:
    found = source(tmp_path, data)
    taken = first(found)
    assert taken is not None
    token = found.claim(taken)
    assert token is not None
    return found, taken, token


def content(tmp_path: Path) -> list[bytes]:
    return (tmp_path / "next-work.jsonl").read_bytes().split(b"\n")


FAILED = Verdict(Result.UNCHANGED, Reason(ReasonKind.TARGET_UNMOVED), keep=False)
DONE = Verdict(Result.IMPROVED, Reason(ReasonKind.TARGET_REACHED), keep=True)
STOPPED = Verdict(Result.UNCHANGED, Reason(ReasonKind.INTERRUPTED), keep=False)


def test_nw_033_a_failed_item_is_free_again_and_its_fresh_sibling_is_next(tmp_path: Path) -> None:
    found, taken, token = claimed(tmp_path, (row(item("one"), item("sib", "low")) + "\n").encode())
    found.settle(taken, token, FAILED)
    (line, rest) = content(tmp_path)
    kept = json.loads(line)
    assert rest == b""
    assert (kept["claim_status"], kept["failed_at"], kept["consumed"]) == ("available", NOW, False)
    assert kept["items"][0] == {
        **item("one"),
        "claim_status": "available",
        "consumed": False,
        "failed_at": NOW,
        "x_ao_attempts": 1,
    } | {name: kept["items"][0][name] for name in ("claimed_by", "claimed_at") if name in kept["items"][0]}
    assert kept["items"][1] == item("sib", "low"), "the sibling is as it was"
    again = first(found)
    assert again is not None and again.title == "sib"


def test_nw_025_rewriting_touches_one_row_and_keeps_blank_and_foreign_lines(tmp_path: Path) -> None:
    before = f"\n\n   \n{{torn\n{LOW}\n\t\n".encode()
    found, taken, token = claimed(tmp_path, before)
    found.settle(taken, token, STOPPED)
    lines = content(tmp_path)
    assert lines[:4] + lines[5:] == before.split(b"\n")[:4] + before.split(b"\n")[5:]
    kept = json.loads(lines[4])
    assert kept["items"][0]["claim_status"] == "available" and "failed_at" not in kept["items"][0]


def test_nw_017_a_rewritten_line_keeps_its_carriage_return(tmp_path: Path) -> None:
    claimed(tmp_path, f"{LOW}\r\n{HIGH}\r\n".encode())
    low, high, end = content(tmp_path)
    assert low == f"{LOW}\r".encode() and high.endswith(b"}\r") and end == b""
    assert json.loads(high)["items"][0]["claimed_by"] == "evolve:cycle-7"


def test_nw_018_the_byte_order_mark_stays_where_it_was(tmp_path: Path) -> None:
    found, taken, token = claimed(tmp_path, b"\xef\xbb\xbf" + f"{HIGH}\n{LOW}\n".encode())
    found.settle(taken, token, DONE)
    lines = content(tmp_path)
    assert lines[0].startswith(b"\xef\xbb\xbf{")
    assert json.loads(lines[0][3:])["consumed"] is True


def test_the_claim_is_written_as_upstreams_readers_look_for_it(tmp_path: Path) -> None:
    claimed(tmp_path, HIGH.encode())
    kept = json.loads(content(tmp_path)[0])
    for level in (kept, kept["items"][0]):
        assert (level["claim_status"], level["claimed_by"], level["claimed_at"]) == ("in_progress", "evolve:cycle-7", NOW)


def test_what_is_done_is_consumed_by_name_and_only_that_item(tmp_path: Path) -> None:
    found, taken, token = claimed(
        tmp_path, row(item("one", failed_at="2026-01-01T00:00:00Z"), item("two", "low", failed_at="x")).encode()
    )
    assert taken.title == "one"
    found.settle(taken, token, DONE)
    kept = json.loads(content(tmp_path)[0])
    one, two = kept["items"]
    assert (one["consumed"], one["claim_status"], one["consumed_by"], one["consumed_at"]) == (
        True,
        "consumed",
        "evolve:cycle-7",
        NOW,
    )
    assert one["claimed_by"] is None and one["failed_at"] is None
    assert two == item("two", "low", failed_at="x")
    assert (kept["consumed"], kept["claim_status"]) == (False, "available")


def test_unknown_keys_their_order_and_signs_survive(tmp_path: Path) -> None:
    line = (
        '{"zeta":1,"Items":[{"z":[1.50,12345678901234567890],"title":"<a> & ü","severity":"high","half":"\\ud800"}],'
        '"notes":{"b":1,"a":2}}'
    )
    found, taken, token = claimed(tmp_path, line.encode())
    found.settle(taken, token, DONE)
    kept = json.loads(content(tmp_path)[0])
    assert list(kept)[:3] == ["zeta", "Items", "notes"] and list(kept["notes"]) == ["b", "a"]
    assert list(kept["Items"][0])[:4] == ["z", "title", "severity", "half"]
    assert kept["Items"][0]["z"] == [1.5, 12345678901234567890] and kept["Items"][0]["half"] == "\ud800"
    assert rank((tmp_path / "next-work.jsonl").read_bytes()).ranks == ()


def test_a_flat_row_is_claimed_and_consumed_at_its_top(tmp_path: Path) -> None:
    found, taken, token = claimed(tmp_path, b'{"id":"L1","title":"flat","severity":"low","consumed":false}\n')
    assert json.loads(content(tmp_path)[0])["claimed_by"] == "evolve:cycle-7"
    found.settle(taken, token, DONE)
    kept = json.loads(content(tmp_path)[0])
    assert (kept["id"], kept["consumed"], kept["claim_status"]) == ("L1", True, "consumed") and "items" not in kept


def test_a_row_printed_over_several_lines_is_work_and_becomes_one_line(tmp_path: Path) -> None:
    pretty = json.dumps(json.loads(HIGH), indent=2)
    found, taken, token = claimed(tmp_path, f"{LOW}\n{pretty}\n{MED}\n".encode())
    assert taken.title == "hi" and taken.ref == "2.1"
    found.settle(taken, token, DONE)
    lines = content(tmp_path)
    assert [lines[0], lines[2], lines[3]] == [LOW.encode(), MED.encode(), b""]
    assert json.loads(lines[1])["consumed"] is True


def test_releasing_one_item_of_a_row_that_was_consumed_whole_frees_no_sibling(tmp_path: Path) -> None:
    from agentops.records import queue_changes

    line = row(item("a"), item("b"), consumed=True).encode()
    kept = json.loads(queue_changes.changed(line, 1, queue_changes.release()))
    assert [one["consumed"] for one in kept["items"]] == [False, True] and kept["consumed"] is False
