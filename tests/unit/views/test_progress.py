"""What a person who waits for a measurement reads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.views.progress import Progress, line


def test_it_says_how_far_it_is_and_what_takes_long() -> None:
    seen = Progress(12, 50, 1, [("tests-green", 12.0), ("lint", 3.0)])
    assert line(seen) == "12 of 50 measured, 1 fails · running: tests-green 12 s, lint 3.0 s"
    assert line(Progress(0, 2, 0, [])) == "0 of 2 measured"


def test_what_has_no_room_is_counted() -> None:
    seen = Progress(3, 9, 2, [(f"goal-number-{at}", 1.0) for at in range(6)])
    assert line(seen, 70) == "3 of 9 measured, 2 fail · running: goal-number-0 1.0 s and 5 more"


@given(st.integers(0, 999), st.lists(st.tuples(st.text(max_size=40), st.floats(0, 1e6)), max_size=20), st.integers(1, 200))
def test_it_never_wraps_and_never_moves_the_cursor(done: int, running: list[tuple[str, float]], width: int) -> None:
    text = line(Progress(done, 999, done, running), width)
    assert len(text) <= width and "\n" not in text and "\x1b" not in text
