"""Cutting and keeping bytes, against the plain definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.host.streams import Lines, Ring

CHUNKS = st.lists(st.text("ab\n\r", max_size=9).map(str.encode), max_size=12)


@given(CHUNKS, st.integers(0, 9), st.integers(0, 9))
def test_ring_is_head_and_tail_of_the_whole(chunks: list[bytes], head: int, tail: int) -> None:
    ring, whole = Ring(head, tail), b"".join(chunks)
    for chunk in chunks:
        ring.feed(memoryview(chunk))
    rest = whole[head:]
    kept = rest[max(0, len(rest) - tail) :]
    assert (ring.head, ring.tail, ring.dropped) == (whole[:head], kept, len(rest) - len(kept))


@given(CHUNKS, st.integers(1, 6))
def test_lines_are_those_of_the_whole_however_it_is_cut(chunks: list[bytes], limit: int) -> None:
    seen: list[bytes] = []
    lines = Lines(seen.append, limit)
    for chunk in chunks:
        lines.feed(memoryview(chunk))
    lines.end()
    wanted = b"".join(chunks).split(b"\n")
    if not wanted[-1]:
        wanted.pop()
    # A line at its limit may keep or lose its CR; nothing else about it may differ.
    assert [line.removesuffix(b"\r")[:limit].removesuffix(b"\r") for line in wanted] == [
        line.removesuffix(b"\r") for line in seen
    ]
    assert all(len(line) <= limit for line in seen)
