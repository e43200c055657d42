"""Paths as text, and the ladder's choice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentops.core.clock import Instant, jumped
from agentops.core.paths import raw_of, text_of
from agentops.core.work import Offer, WorkItem
from agentops.work.failing_goals import FailingGoals
from agentops.work.ladder import choose


@given(st.binary(max_size=60))
def test_every_path_survives_the_way_through_text(raw: bytes) -> None:
    text = text_of(raw)
    assert raw_of(text) == raw
    text.encode("utf-8")  # no lone surrogate: it can be printed and written as JSON


def test_a_plain_path_reads_as_it_is() -> None:
    assert text_of("größe/a b.txt".encode()) == "größe/a b.txt" and text_of(b"a\xff") == "a\\xff"


def test_sleep_and_set_clocks_are_told_from_time_that_passed() -> None:
    night = 8 * 3600.0
    assert jumped(Instant(10, 1000), Instant(20, 1010)) == 0
    assert jumped(Instant(10, 1000), Instant(20, 1010 + night)) == night
    assert jumped(Instant(10, 1000), Instant(20, 800)) == -210


def item(key: str) -> WorkItem:
    return WorkItem("goal", key, key, "")


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=4), st.frozensets(st.sampled_from("abcdef")))
def test_the_first_rung_with_work_that_can_be_done_wins(rungs: list[list[str]], able: frozenset[str]) -> None:
    sources = [(FailingGoals(tuple, f"run{at}"), Offer(tuple(map(item, keys)))) for at, keys in enumerate(rungs)]
    choice = choose(sources, lambda one: None if one.key in able else "no")
    doable = [key for keys in rungs for key in keys if key in able]
    assert (choice.item.key if choice.item else None) == (doable[0] if doable else None)
