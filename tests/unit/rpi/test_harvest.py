"""Follow-ups, slices and contradictions: whatever a verdict holds, it is read as what it surely means or left out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.clock import Instant
from agentops.core.events import Events
from agentops.core.places import Place, Snapshot, Start
from agentops.core.work import WorkItem
from agentops.rpi.contradictions import contradictions
from agentops.rpi.follow_ups import MOST, FollowUp, entry, read_follow_ups, to_harvest
from agentops.rpi.harvesting import Harvesting
from agentops.rpi.slices import TOO_MANY, Slice, first_wave, read_slices
from agentops.rpi.verdicts import Phase, Said, from_json
from tests.twins.time import VirtualClock, VirtualScope

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
PARTS = st.builds(Slice, st.text("abc", min_size=1, max_size=3), st.sampled_from(["", "web", "db"]))
SLICES = st.lists(PARTS, max_size=12, unique_by=lambda one: one.title)


@given(ANY, ANY, ANY)
def test_any_verdict_is_read_without_a_fault(findings: object, ups: object, slices: object) -> None:
    raw = msgspec.json.encode({"verdict": "pass", "findings": findings, "follow_ups": ups, "slices": slices})
    verdict = from_json(Phase.DISCOVERY, raw)
    assert verdict is not None and verdict.said is Said.PASS
    assert len(verdict.follow_ups) <= MOST and all(one.title for one in verdict.follow_ups)


@given(ANY)
def test_every_follow_up_is_a_row_that_upstream_accepts(value: object) -> None:
    row = entry(read_follow_ups(value), epic="s.c1", timestamp="2026-12-01T00:00:00Z", repo="demo")
    items = row["items"]
    assert isinstance(items, list)
    for item in items:
        assert item["severity"] in ("high", "medium", "low") and item["description"] and "\n" not in item["title"]
        assert item["target_repo"] == ("*" if item["type"] == "process-improvement" else "demo")


def test_a_follow_up_is_known_again_whatever_its_case_and_punctuation() -> None:
    assert FollowUp("Close the leak").dedup_key == FollowUp("close the LEAK!").dedup_key
    assert [one.title for one in to_harvest([FollowUp("b"), FollowUp("a"), FollowUp("B.")], "A")] == ["b"]


@given(SLICES)
def test_no_slice_is_lost_and_a_wave_is_of_one_subsystem(slices: list[Slice]) -> None:
    wave = first_wave(slices)
    if wave.now:
        assert sorted((*wave.now, *wave.later), key=repr) == sorted(slices, key=repr)
        assert wave.later and len(wave.now) < TOO_MANY
        assert len({one.subsystem for one in wave.now} - {""}) <= 1
    else:
        assert len(slices) < TOO_MANY and len({one.subsystem for one in slices} - {""}) < 2


def test_six_slices_of_one_subsystem_are_one_cycle_and_seven_are_two() -> None:
    assert first_wave([Slice(str(number), "web") for number in range(6)]).now == ()
    wave = first_wave([Slice(str(number), "web") for number in range(7)])
    assert (len(wave.now), [one.title for one in wave.later]) == (6, ["6"])


def test_slices_are_read_from_texts_and_objects_each_title_once() -> None:
    found = read_slices(["one", {"title": "two", "subsystem": " Web ", "files": ["a"]}, {"x": 1}, 5, "one"])
    assert found == (Slice("one"), Slice("two", "web", ("a",)))


@pytest.mark.parametrize(
    "more",
    [
        {"tests": {"failed": 2}},
        {"checks_failed": 1},
        {"results": {"unit": {"errors": 3}}},
        {"tests": {"passed": 8, "total": 10}},
        {"summary": "10 passed, 2 failed"},
        {"summary": "2 failed and 8 passed"},
        {"summary": "8/10 tests pass"},
        {"summary": "8 of 10 tests passed"},
    ],
)
def test_a_good_word_beside_bad_numbers_is_a_doubt(more: dict[str, object]) -> None:
    assert contradictions("PASS", more)


@pytest.mark.parametrize(
    "more",
    [
        {"tests": {"failed": 0, "passed": 10, "total": 10}},
        {"tests": {"passed": 8, "skipped": 2, "total": 10}},
        {"summary": "fixed 3 failed tests"},
        {"summary": "10 passed, 0 failed"},
        {"summary": "10/10 tests pass"},
        {"errors": []},
        {"failed": True},
    ],
)
def test_numbers_that_fit_raise_no_doubt(more: dict[str, object]) -> None:
    assert contradictions("PASS", more) == ()


def test_a_word_that_claims_no_success_is_not_doubted() -> None:
    for word in (b"FAIL", b"WARN"):
        verdict = from_json(Phase.VALIDATION, b'{"verdict":"' + word + b'","failed":3}')
        assert verdict is not None and verdict.doubts == ()


def test_follow_ups_in_other_scripts_are_told_apart() -> None:
    titles = ["Исправить тест", "Добавить кэш", "修复", "→", "!"]
    assert [one.title for one in read_follow_ups(titles)] == titles
    assert FollowUp("Добавить кэш!").dedup_key == FollowUp("добавить  КЭШ").dedup_key


def test_a_follow_up_whose_name_begins_a_longer_one_is_not_lost(tmp_path: Path) -> None:
    harvest = Harvesting(VirtualScope(VirtualClock()), cast(Events, SimpleNamespace(emit=lambda *_, **__: None)))
    place = cast(Place, SimpleNamespace(path=str(tmp_path)))
    start = Start(7, "s.2", Instant(0, 0), Snapshot("", "", None, ""))
    item = WorkItem("goal", "a", "a", "a")
    assert harvest(item, place, start, [FollowUp("Fix the cache of tests")]) == 1
    assert harvest(item, place, start, [FollowUp("Fix the cache"), FollowUp("fix the cache of tests")]) == 1
