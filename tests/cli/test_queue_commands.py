"""`ao queue …` on real files, in one process: what a person types and what the file says afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agentops.cli.main import program
from agentops.core.errors import AoError

Typed = Callable[..., Result]
ROW = '{"source_epic":"e","items":[{"title":"%s","severity":"%s"%s}],"consumed":false}'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is no repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def typed(folder: Path) -> Typed:
    def run(*words: str) -> Result:
        done = CliRunner().invoke(program, ["queue", *words])
        if done.exception is not None and not isinstance(done.exception, SystemExit | AoError):
            raise done.exception
        return done

    return run


def write(folder: Path, *lines: str, end: str = "\n") -> Path:
    path = folder / ".agents" / "rpi" / "next-work.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + end)
    return path


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / ".agents" / "rpi" / "next-work.jsonl").read_text().splitlines()]


def test_an_empty_queue_says_how_to_fill_it(typed: Typed) -> None:
    assert "ao queue add" in typed("list").output
    assert json.loads(typed("list", "--json").output)["items"] == []


def test_added_work_is_whole_and_first_in_line(typed: Typed, folder: Path) -> None:
    write(folder, ROW % ("older", "medium", ""))
    added = json.loads(typed("add", "Newer", "--severity", "high", "--check", "true", "--file", "a.py", "--json").output)
    assert added["ref"] == "2.1"
    listed = json.loads(typed("list", "--json", "--limit", "1").output)
    assert [one["title"] for one in listed["items"]] == ["Newer"] and listed["available"] == 2
    row = rows(folder)[1]
    assert set(row) >= {"source_epic", "timestamp", "items", "consumed", "claim_status", "claimed_by", "consumed_by"}
    assert row["items"][0]["target_files"] == ["a.py"]  # type: ignore[index]


def test_a_torn_last_line_does_not_swallow_what_is_added(typed: Typed, folder: Path) -> None:
    path = write(folder, '{"torn', end="")
    typed("add", "Newer")
    assert path.read_text().splitlines()[0] == '{"torn' and rows_after(path, 1)[0]["items"]


def rows_after(path: Path, line: int) -> list[dict[str, object]]:
    return [json.loads(one) for one in path.read_text().splitlines()[line:]]


def test_consuming_and_releasing_by_address_title_or_part(typed: Typed, folder: Path) -> None:
    write(folder, ROW % ("first thing", "high", ',"failed_at":"x","x_ao_attempts":3'), ROW % ("second", "low", ""))
    assert "available → consumed" in typed("consume", "1.1", "--evidence", "seen").output
    item = rows(folder)[0]["items"][0]  # type: ignore[index]
    assert (item["consumed"], item["x_ao_evidence"], item["consumed_by"]) == (True, "seen", "ao-queue")
    assert "consumed → available" in typed("release", "first").output
    item = rows(folder)[0]["items"][0]  # type: ignore[index]
    assert not item["consumed"] and item["failed_at"] is None and "x_ao_attempts" not in item and "x_ao_evidence" not in item
    assert typed("consume", "2").exit_code == 0 and rows(folder)[1]["consumed"] is True


def test_a_persons_word_frees_what_was_held_for_it(typed: Typed, folder: Path) -> None:
    write(folder, ROW % ("a", "high", ',"requires":["human-review"]'), ROW % ("b", "low", ',"status":"proposed"'))
    assert "held → available" in typed("release", "a").output and "held → available" in typed("release", "b").output


def test_a_resting_goal_is_meant_before_an_item_that_only_mentions_it(typed: Typed, folder: Path) -> None:
    path = write(folder, ROW % ("Find out what undoes `flip`", "high", ""))
    before = path.read_bytes()
    ledger = folder / ".agents" / "evolve" / "cycle-history.jsonl"
    ledger.parent.mkdir()
    ledger.write_text('{"cycle":1,"target":"flip","result":"unchanged","timestamp":"2026-01-01T00:00:00Z"}\n')
    assert typed("release", "flip").output == "flip may be tried again\n"
    assert path.read_bytes() == before


def test_an_unclear_or_unknown_name_changes_nothing(typed: Typed, folder: Path) -> None:
    path = write(folder, ROW % ("a thing", "high", ""), ROW % ("a thong", "low", ""))
    before = path.read_bytes()
    for words in (("consume", "a th"), ("release", "nothing like it"), ("show", "9.9")):
        done = typed(*words)
        assert isinstance(done.exception, AoError) and done.exception.exit_code == 2
    assert path.read_bytes() == before


def test_show_says_everything_the_row_says(typed: Typed, folder: Path) -> None:
    write(folder, ROW % ("t", "high", ',"odd_key":{"x":1},"description":"one\\ntwo"'))
    said = typed("show", "1.1").output
    assert 'odd_key: {"x":1}' in said and "one" in said and "two" in said
    assert json.loads(typed("show", "t", "--json").output)["fields"]["odd_key"] == {"x": 1}


BROKEN = (
    ROW % ("old claim", "high", ',"claim_status":"in_progress","claimed_by":"dead","claimed_at":"2020-01-01T00:00:00Z"'),
    '{"source_epic":"e","items":[{"ti' + ROW % ("glued", "low", ""),
    json.dumps({"source_epic": "p", "items": [{"title": "pretty"}]}, indent=1),
    "{torn",
)


def test_repair_without_write_only_says_what_it_would_do(typed: Typed, folder: Path) -> None:
    path = write(folder, *BROKEN, end="")
    before = path.read_bytes()
    said = json.loads(typed("repair", "--json").output)
    assert path.read_bytes() == before and said["wrote"] is False and len(said["done"]) == 4 and len(said["left"]) == 1
    assert list(path.parent.iterdir()) == [path]


def test_repair_mends_what_it_can_and_loses_nothing(typed: Typed, folder: Path) -> None:
    path = write(folder, *BROKEN, end="")
    before = path.read_bytes()
    typed("repair", "--write")
    titles = {one["title"] for one in json.loads(typed("list", "--json").output)["items"]}
    assert titles == {"old claim", "glued", "pretty"}
    lines = path.read_bytes().split(b"\n")
    assert b"{torn" in lines and b'{"source_epic":"e","items":[{"ti' in lines
    assert (path.parent / "next-work.jsonl.1.bak").read_bytes() == before
    mended = path.read_bytes()
    typed("repair", "--write")
    assert path.read_bytes() == mended, "a second repair finds nothing to do"


def test_repair_takes_no_item_out_of_a_torn_row(typed: Typed, folder: Path) -> None:
    """What looks like a row inside a torn one is an item of it; its siblings are lost, and a person should see that."""
    path = write(folder, '{"source_epic":"e","items":[{"title":"inside"},{"ti')
    before = path.read_bytes()
    typed("repair", "--write")
    assert path.read_bytes() == before


def test_the_list_is_what_the_loop_would_take_as_configured(typed: Typed, folder: Path) -> None:
    typed("add", "Theirs", "--repo", "another")
    assert json.loads(typed("list", "--json").output)["available"] == 0
    (folder / "ao.toml").write_text('queue.repo = "another"\n')
    assert json.loads(typed("list", "--json").output)["available"] == 1
    assert json.loads(typed("list", "--json", "--repo-filter", "a-third").output)["available"] == 0
