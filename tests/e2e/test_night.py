"""A whole night on a real repository, in some seconds: limit, power cut, flaky check, a person's commit, STOP at six."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.night.story import a_night
from tests.torture.books import ledger, wrong_books
from tests.torture.ground import Ground
from tests.torture.looking import commits_of


@pytest.mark.slow
def test_a_night_with_everything_in_it_ends_with_one_report_of_the_whole(ground: Ground) -> None:
    night = a_night(ground)
    report = night.reports[-1]
    assert report.stop.reason == "kill-switch" and "good morning" in report.stop.detail
    assert 7.9 * 3600 < report.ended - report.started < 8.2 * 3600
    rows = ledger(ground)
    assert [row.cycle for row in report.rows] == [row["cycle"] for row in rows], "over the power cut, not from it on"
    assert [(row["target"], row["reason"]) for row in rows if row["reason"] == "interrupted"] == [
        ("cache-bounded", "interrupted"),
        ("big-move", "interrupted"),
    ]
    assert {goal.goal_id for goal in report.after.goals if goal.failing} == {"links-alive", "big-move"} if report.after else False
    assert report.before is not None and report.before.passing == 2
    assert [pause.why for pause in report.pauses] == ["a limit of the agent"]
    assert 1.4 * 3600 < report.pauses[0].ended - report.pauses[0].began < 1.6 * 3600
    assert report.worked < report.ended - report.started - 1.4 * 3600
    assert [(one.kind, one.what.split(":")[0]) for one in report.attention if one.kind == "resting"] == [
        ("resting", "links-alive")
    ]
    mine = [one for one in report.commits if one.cycle is None]
    assert [(one.sha, one.title) for one in mine] == [(night.person_commit, "Write down what I thought of")]
    assert night.person_commit in commits_of(ground)
    assert not (ground.repo / "moved").exists() and not (ground.repo / "broken").exists()
    assert list(wrong_books(ground)) == []
    keys = {"post-mortem|resting|links-alive", "post-mortem|flaky|clock-sane"}
    assert {one.key for one in report.follow_ups} == keys, "flaky twice, both times before the power was cut"
    told = json.loads(Path(report.page).with_suffix(".json").read_text())
    assert told["usage"]["tokens_in"] == sum(row.tokens_in or 0 for row in report.rows) > 0
    assert told["usage"]["cycles_of_unknown_cost"] == sum(row.cost_known is False for row in report.rows) > 0
    assert Path(report.page).read_text().count("<svg") == 1
