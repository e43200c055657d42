"""The two readers of a queue row agree on what is a row: an item that is offered can be read when its turn comes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentops.records.queue_file import Claim, QueueFile
from agentops.records.queue_repair import plan
from agentops.records.queue_rows import items_of, light
from agentops.work.queue_ranking import rank

ODD = (b'"caf\xe9"', b"9" * 5000, b'{"\xff":1}', b'"\\ud800"', b"NaN", b'"\\q"', b"[" * 5000 + b"]" * 5000)


@given(st.binary(max_size=6).map(lambda some: b'"%s"' % some), st.booleans())
@example(b'"\xff"', True)
def test_both_readers_find_the_same_items(value: bytes, inside: bool) -> None:
    form = b'{"items":[{"title":"a","x":%s}]}' if inside else b'{"items":[{"title":"a"}],"x":%s}'
    found = light(form % value)
    assert (len(found.work()) if found is not None else 0) == len(items_of(form % value, 1))


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value[:8]))
def test_one_odd_row_hides_no_other(value: bytes) -> None:
    good = b'{"items":[{"title":"good"}]}\n'
    ranking = rank(b'{"items":[{"title":"odd","x":%s}]}\n' % value + good)
    titles = [item.title for item in ranking]
    assert "good" in titles and len(titles) == len(ranking)
    assert len(ranking) == 2 or any("line 1" in one.key for one in ranking.passed_over)


def test_half_a_letter_survives_a_repair() -> None:
    assert rb"\ud800" in plan(b'{"items":\n[{"title":"a","x":"\\ud800"}]}\n', 0.0, 1.0).data


def test_a_row_that_cannot_be_written_anew_is_nobodys_to_claim(tmp_path: Path) -> None:
    path, refused = tmp_path / "queue", 0
    for deep in range(700, 1000):  # where the readers give up depends on how deep the stack is already
        raw = b'{"items":[{"title":"a","x":%s}]}\n' % (b"[" * deep + b"]" * deep)
        path.write_bytes(raw)
        if not QueueFile(str(path)).claim("1.1", Claim("t", "w", "a"), "now"):
            refused += 1
            assert path.read_bytes() == raw
    assert refused
