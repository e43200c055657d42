"""A kept report is read back as it was told; what is damaged is no report, and never a traceback."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agentops.core.errors import ExitCode
from agentops.core.stops import Stop, StopReason
from agentops.evolve.report import SessionReport
from agentops.views import as_json
from agentops.views.report import blocks
from agentops.views.stored import report_of
from tests.unit.views.a_night import a_night


def test_all_that_the_screen_showed_is_shown_again() -> None:
    night = a_night()
    again = report_of(as_json.report(night, ExitCode.PLANNED).encode())
    assert again is not None
    assert blocks(again, night.ended) == blocks(night, night.ended)
    assert again == replace(night, stop=again.stop, before=again.before, after=again.after)


def test_every_way_to_end_is_read_back() -> None:
    for reason in StopReason:
        one = SessionReport("s", "s.1", 0.0, 9.0, 1.5, Stop(reason, "why\n", ExitCode.ENVIRONMENT))
        again = report_of(as_json.report(one, ExitCode.ENVIRONMENT).encode())
        assert again is not None and (again.stop.reason, again.stop.detail) == (reason, "why\n")


def test_a_report_of_an_earlier_version_lacks_what_that_did_not_know() -> None:
    told = msgspec.json.decode(as_json.report(a_night(), ExitCode.PLANNED))
    for name in ("commits", "pauses", "trajectory", "follow_ups", "page", "more_commits", "repository", "branch", "counts"):
        del told[name]
    for one in told["attention"]:
        del one["kind"]
    told["of_a_later_version"] = 1
    again = report_of(msgspec.json.encode(told))
    assert again is not None and len(again.attention) == 3 and again.commits == ()


@given(st.binary(max_size=40), st.integers(0, 20_000))
def test_a_torn_or_foreign_file_is_no_report(noise: bytes, cut: int) -> None:
    whole = as_json.report(a_night(), ExitCode.PLANNED).encode()
    assert report_of(noise) is None
    assert report_of(whole[: min(cut, len(whole) - 3)]) is None


def test_a_folder_s_name_that_is_no_text_does_not_cost_the_report() -> None:
    report = SessionReport("s", "s.1", 0.0, 9.0, 1.5, Stop(StopReason.MAX_CYCLES, ""), repository="caf\udce9")
    assert json.loads(as_json.report(report, ExitCode.PLANNED))["repository"] == r"caf\udce9"
