"""What a cycle may do to the work queue, and what is put back."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agentops.evolve.queue_guard import QueueGuard, with_new_rows
from agentops.records.queue_rows import digest
from agentops.tree.changes import NEXT_WORK

LINES = st.lists(st.sampled_from([b"a", b"b", b'{"items":[{"title":"x"}]}', b""]), max_size=6).map(
    lambda lines: b"".join(line + b"\n" for line in lines)
)


class Records:
    def remember(self) -> None: ...

    def make_way(self) -> None: ...

    def put_back(self) -> dict[str, str]:
        return {}


def row(title: str, **more: object) -> str:
    return json.dumps({"items": [{"title": title, **more}]}) + "\n"


def guard(tmp_path: Path, before: str, allowed: frozenset[str] = frozenset()) -> tuple[QueueGuard, Path]:
    path = tmp_path / NEXT_WORK
    path.parent.mkdir(parents=True, exist_ok=True)
    if before:
        path.write_text(before)
    made = QueueGuard(Records(), str(tmp_path), lambda: allowed)
    made.remember()
    return made, path


def test_appended_rows_stay_and_are_counted_by_their_items(tmp_path: Path) -> None:
    made, path = guard(tmp_path, row("a"))
    path.write_text(row("a") + json.dumps({"items": [{"title": "b"}, {"title": "c"}]}) + "\n" + '{"items":[]}\n')
    assert made.put_back() == {} and made.new_items == 2


def test_a_cycle_that_marks_other_work_as_done_gets_nowhere_and_its_own_rows_stay(tmp_path: Path) -> None:
    made, path = guard(tmp_path, row("a") + row("b"))
    path.write_text(row("a", consumed=True) + row("b") + row("c"))
    assert NEXT_WORK in made.put_back()
    assert path.read_text() == row("a") + row("b") + row("c") and made.new_items == 1


def test_a_deleted_or_emptied_queue_comes_back(tmp_path: Path) -> None:
    made, path = guard(tmp_path, row("a"))
    path.unlink()
    made.put_back()
    assert path.read_text() == row("a")
    path.write_text("")
    made.put_back()
    assert path.read_text() == row("a")


def test_what_a_person_does_through_the_command_meanwhile_is_no_doing_of_the_cycle(tmp_path: Path) -> None:
    consumed = row("a", consumed=True)
    made, path = guard(tmp_path, row("a") + row("b"), frozenset({digest(consumed.encode())}))
    path.write_text(consumed + row("b", consumed=True))
    made.put_back()
    assert path.read_text() == consumed + row("b")


def test_a_queue_that_the_cycle_made_is_new_work(tmp_path: Path) -> None:
    made, path = guard(tmp_path, "")
    path.write_text(row("a"))
    assert made.put_back() == {} and made.new_items == 1


@given(LINES, LINES)
def test_appending_is_never_undone(before: bytes, more: bytes) -> None:
    assert with_new_rows(before, before + more, frozenset()) == before + more


@given(LINES, LINES)
def test_old_rows_always_survive(before: bytes, now: bytes) -> None:
    assert with_new_rows(before, now, frozenset()).startswith(before)
