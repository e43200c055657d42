"""On which line a key stands."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from agentops.policy.toml_lines import line_of, positions

TEXT = '''\
# a comment = 1
top = 1

[gate]          # [not.this]
commands = [
  "a",   # b = 1
  """
x = 3
""",
]
require = true
"quoted.key" = 1
[budget.session]
minutes = 3
usd.cap = 4
inline = { a = 1, b = { c = 2 } }
[[schedule]]
at = "1"
[[schedule]]
at = "2"
'''


def test_every_key_has_the_line_on_which_it_is_written() -> None:
    found = positions(TEXT)
    assert found["top"] == 2
    assert (found["gate"], found["gate.commands"], found["gate.require"]) == (4, 5, 11)
    assert "x" not in found and "b" not in found, "what stands inside a text or a comment is no key"
    assert (found["budget.session"], found["budget.session.minutes"], found["budget.session.usd.cap"]) == (13, 14, 15)
    assert found["budget.session.inline.b.c"] == 16
    assert found["schedule.at"] == 18, "the first of several"


def test_a_key_that_is_not_written_out_has_the_line_of_what_is_around_it() -> None:
    found = positions(TEXT)
    assert line_of("gate.unknown.deeper", found) == 4
    assert line_of("nothing", found) == 1


_NAMES = st.sampled_from(["a", "b", "c-d", '"e f"'])
_VALUES = st.sampled_from(["1", '"x"', "[\n1,\n2]", '"""\nq = 1\n"""', "{ z = 1 }", "'''\n[t]\n'''", "true # c"])


@given(st.lists(st.tuples(_NAMES, _VALUES), unique_by=lambda pair: pair[0]), st.integers(0, 3))
def test_the_line_of_a_key_is_where_its_name_is(pairs: list[tuple[str, str]], blank: int) -> None:
    lines = ["[t]"]
    at: dict[str, int] = {}
    for name, value in pairs:
        lines += ["# q = 1"] * blank
        at["t." + name.strip('"')] = len(lines) + 1
        lines += f"{name} = {value}".split("\n")
    text = "\n".join(lines)
    tomllib.loads(text)
    found = positions(text)
    assert {key: found[key] for key in at} == at


def test_a_hostile_list_costs_its_lines_and_no_night() -> None:
    """Every line of it was a reason to read it all again: twenty thousand lines took a quarter of an hour."""
    long = "x = [\n" + '"package",\n' * 20_000 + "]  # so many\nlast = 1\n"
    assert positions(long)["last"] == 20_003
    assert positions("x = [[]\n" + ",[]\n" * 20_000 + "]\n") == {}
