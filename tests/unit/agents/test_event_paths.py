"""Paths into events: they lead to what they name, and nowhere at all in an event of another shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentops.agents.event_paths import compiled, total, values, words

EVENT = {"a": {"b": [{"n": 1, "t": "x"}, {"n": 2.5, "t": "y"}, 7]}, "m": {"p": {"k": 3}, "q": {"k": 4}}, "yes": True}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b[0].n", [1]),
        ("a.b[-2].t", ["y"]),
        ("a.b[*].n", [1, 2.5]),
        ("m.*.k", [3, 4]),
        ("a.b[9]", []),
        ("a.c", []),
        ("yes.no", []),
    ],
)
def test_a_path_leads_to_what_it_names(path: str, found: list[object]) -> None:
    assert list(values(EVENT, compiled(path))) == found


def test_numbers_add_up_and_a_yes_is_none() -> None:
    assert total(EVENT, (compiled("a.b[*].n"), compiled("m.*.k"))) == 10.5
    assert total(EVENT, (compiled("yes"), compiled("a.b[0].t"))) is None
    assert words(EVENT, compiled("a.b[*].t")) == "x\ny"


@pytest.mark.parametrize("wrong", ["", ".", "a..b", "a.", "[x]", "a[", "a]"])
def test_what_is_no_path_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="path"):
        compiled(wrong)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3), lambda x: st.lists(x) | st.dictionaries(st.text(max_size=2), x)
)


@given(JSON, st.sampled_from(["a", "a.b[0]", "*.a", "[*][*]", "a[-1].b", "[0].*"]))
def test_no_event_can_break_a_path(event: object, path: str) -> None:
    steps = compiled(path)
    list(values(event, steps))
    assert (found := total(event, (steps,))) is None or found >= 0
    assert isinstance(words(event, steps), str)
