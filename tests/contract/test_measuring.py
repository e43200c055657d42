"""`ao goals measure` beside recordings of the original command: what it prints and keeps, case by case.

The names of cases are those of docs/compatibility.md. Ours may say more (`id`, `broken`, `timed_out`), never less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AO = str(Path(sys.executable).with_name("ao"))
TOP = "# Goals\n\nKeep the toy project healthy.\n\n## Gates\n\n| ID | Check | Weight | Description |\n|--|--|--|--|\n"


def ao(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    full = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LANG": "C.UTF-8", "TERM": "dumb", **env}
    return subprocess.run([AO, *words], cwd=folder, env=full, stdin=-3, capture_output=True, text=True, timeout=100, check=False)


def measured(folder: Path, *words: str, **env: str) -> dict[str, Any]:
    done = ao(folder, "goals", "measure", "--json", *words, **env)
    assert (done.returncode, done.stderr) == (0, ""), done
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def goals(folder: Path, *rows: str) -> Path:
    (folder / "GOALS.md").write_text(TOP + "".join(f"| {row} |\n" for row in rows))
    return folder


def said(found: dict[str, Any], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(goal.get(key) for key in keys) for goal in found["goals"]]


def test_md_041_a_time_out_is_a_skip_and_leaves_the_score(tmp_path: Path) -> None:
    goals(tmp_path, "slow | `sleep 5` | 9 | desc", "ok | `true` | 1 | desc", "bad | `false` | 1 | desc")
    found = measured(tmp_path, "--timeout", "1")
    assert said(found, "goal_id", "result", "weight") == [("slow", "skip", 9), ("ok", "pass", 1), ("bad", "fail", 1)]
    assert found["summary"] == {"total": 3, "passing": 1, "failing": 1, "skipped": 1, "score": 50}
    assert found["git_sha"] == "" and list(found)[:4] == ["timestamp", "git_sha", "goals", "summary"]
    assert "output" not in found["goals"][1] and all(goal["id"] == goal["goal_id"] for goal in found["goals"])


def test_md_044_and_048_nothing_is_sourced_and_nothing_can_be_read(tmp_path: Path) -> None:
    goals(
        tmp_path,
        "env | `printf '%s' \"[${BASH_ENV-unset}][${ENV-unset}][${KEEP-unset}]\"` | 2 | desc",
        'rd | `read -r x; echo "rc=$? x=[$x]"` | 3 | desc',
        "cat | `cat \\| wc -c \\| tr -d ' '` | 3 | desc",
    )
    found = measured(tmp_path, BASH_ENV="/nonexistent/x", ENV="/nonexistent/y", KEEP="1")
    assert said(found, "result", "output") == [("pass", "[unset][unset][1]"), ("pass", "rc=1 x=[]"), ("pass", "0")]


def test_md_035_a_script_that_is_not_there(tmp_path: Path) -> None:
    goals(tmp_path, "s | `scripts/nope.sh --x` | 3 | desc", "t | `bash scripts/nope2.sh` | 3 | desc")
    found = measured(tmp_path)
    assert said(found, "result", "output", "broken") == [
        ("fail", "bash: line 1: scripts/nope.sh: No such file or directory", True),
        ("fail", "bash: scripts/nope2.sh: No such file or directory", True),
    ]
    assert found["summary"]["score"] == 0


def test_md_037_one_goal_by_its_name(tmp_path: Path) -> None:
    goals(tmp_path, "a | `printf one` | 5 | desc", "b | `printf two` | 5 | desc")
    found = measured(tmp_path, "--goal", "b")
    assert said(found, "goal_id", "result", "output") == [("b", "pass", "two")]
    assert found["summary"] == {"total": 1, "passing": 1, "failing": 0, "skipped": 0, "score": 100}
    unknown = ao(tmp_path, "goals", "measure", "--json", "--goal", "zzz")
    assert (unknown.returncode, unknown.stdout) == (2, "") and "zzz" in unknown.stderr
    both = ao(tmp_path, "goals", "measure", "--directives", "--goal", "a")
    assert (both.returncode, both.stdout) == (2, "") and "cannot be combined" in both.stderr
    assert not (tmp_path / ".agents").exists(), "one goal is no measurement to compare with"


def test_drift_008_a_measurement_is_what_the_next_drift_compares_with(tmp_path: Path) -> None:
    goals(tmp_path, "flip | `test -f f && touch f2 ; test -f f` | 3 | desc")
    assert said(measured(tmp_path), "goal_id", "result") == [("flip", "fail")]
    (tmp_path / "f").touch()
    done = ao(tmp_path, "goals", "drift", "--json")
    moved = json.loads(done.stdout)
    assert done.returncode == 0
    assert [{key: one[key] for key in ("goal_id", "before", "after", "delta", "weight")} for one in moved] == [
        {"goal_id": "flip", "before": "fail", "after": "pass", "delta": "improved", "weight": 3}
    ]


@pytest.mark.parametrize("words", [("--json", "goals", "measure"), ("goals", "--json", "--timeout", "9", "measure")])
def test_the_originals_options_before_the_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    goals(tmp_path, "a | `true` | 5 | desc")
    done = ao(tmp_path, *words)
    if words[0] == "--json":
        assert done.returncode == 2  # of `ao` itself it is none
    else:
        assert done.returncode == 0 and json.loads(done.stdout)["summary"]["total"] == 1
