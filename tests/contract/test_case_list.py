"""Every recorded case has a test that names it, and docs/compatibility.md speaks of no case that nobody has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"(?<![a-z])(md|yaml|drift|hist|export|nw|evolve)[-_](\d{3})(?!\d)")
CASES = {
    "md": "1 2 3 4 5 8 9 12 13 14 15 18 19 20 21 23 26 28 29 31 32 33 35 36 37 39 41 44 45 46 48 50",
    "yaml": "3 5 6 7 8 9 11 12 13 16 18 19 20 21",
    "drift": "2 3 4 6 7 8",
    "hist": "2",
    "export": "1",
    "nw": "1 2 5 7 8 10 11 12 13 14 16 17 18 20 21 22 25 26 29 30 31 33 34 36 38",
    "evolve": "2",
}
KNOWN = {f"{area}-{int(number):03}" for area, numbers in CASES.items() for number in numbers.split()}


def named_in(text: str) -> set[str]:
    return {"-".join(found) for found in NAMED.findall(text)}


@pytest.fixture(scope="module")
def tested() -> set[str]:
    here = Path(__file__).resolve()
    return {case for path in (ROOT / "tests").rglob("test_*.py") if path != here for case in named_in(path.read_text("utf-8"))}


def test_a_case_was_never_tried(tested: set[str]) -> None:
    assert sorted(KNOWN - tested) == []


def test_a_difference_is_explained_that_no_case_shows() -> None:
    assert sorted(named_in((ROOT / "docs" / "compatibility.md").read_text("utf-8")) - KNOWN) == []
