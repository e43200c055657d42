"""`ao goals validate --falsify`: a goal that passes on nothing would be green for ever."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from tests.cli.conftest import Ao, Repo

GOALS = """\
# G

m

## Gates

| ID | Check |
|----|-------|
| no-todo | `! grep -rn TODO src` |
| tests | `test -d tests && ls tests/*` |
| git-todo | `! git grep -q TODO` |
| leaves | `touch left; false` |
| finds | `test -e left` |
| commits | `git rev-parse --verify -q HEAD` |
| odd | `exit 77` |
"""


def test_checks_that_pass_on_an_empty_tree_are_named_and_nothing_is_touched(ao: Ao, repo: Repo) -> None:
    repo.commits("goals", GOALS__md=GOALS)
    before = set(os.listdir(tempfile.gettempdir()))
    done = ao("goals", "validate", "--falsify", "--json", cwd=repo.path)
    found = json.loads(done.out)
    assert (done.code, found["valid"], found["vacuous"]) == (0, True, ["no-todo", "git-todo", "commits"])
    assert "goal no-todo: vacuous? its check passes on an empty tree too" in found["warnings"]
    assert repo.git("status", "--porcelain") == ""
    new = [Path(tempfile.gettempdir(), one) for one in set(os.listdir(tempfile.gettempdir())) - before]
    assert [one for one in new if one.name.startswith("falsify")] == []


def test_a_vacuous_goal_fails_a_strict_validation_and_text_says_it(ao: Ao, repo: Repo) -> None:
    done = ao("goals", "validate", "--falsify", "--strict", cwd=repo.path)
    assert done.code == 3 and "goal passes: vacuous?" in done.out, done
    assert ao("goals", "validate", "--strict", cwd=repo.path).code == 0
