"""Flags of rungs that are not there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentops.cli.door import enter
from agentops.cli.main import program
from agentops.cli.not_yet import RUNGS


@pytest.mark.parametrize("flag", RUNGS)
def test_a_flag_whose_rung_is_not_there_exits_2_with_one_line(
    flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["evolve", flag, "1. `a`"] if flag == "--queue" else ["evolve", flag]
    assert enter(program, words) == 2
    said = capfd.readouterr().err
    assert f"{flag}: {RUNGS[flag]} is not in this version" in said and said.count("ao: ") == 1
    assert not list(tmp_path.iterdir())
