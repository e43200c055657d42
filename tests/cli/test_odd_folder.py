"""A repository in a folder whose name is no text in any encoding that we write."""

from __future__ import annotations

import json
import os

from tests.cli.conftest import Ao, Repo

GOALS = """# x

## Gates

| ID | Check | Weight | Description | Fix |
|----|-------|--------|-------------|-----|
| kept | `test -f kept.txt` | 5 | A file is there | `echo kept > kept.txt` |
| made | `test -f made.txt` | 4 | Another one | |
"""


def test_a_night_in_a_folder_whose_name_is_no_text(ao: Ao, repo: Repo) -> None:
    """Measuring, the journal's snapshots, the report and `ao trust` each ended in a traceback there."""
    repo.commits("goals", GOALS__md=GOALS)
    odd = repo.path.parent / os.fsdecode(b"caf\xe9")
    os.rename(repo.path, odd)
    agent = "sh -c 'cat >/dev/null; echo x >> made.txt; echo \"<promise>DONE</promise>\"'"
    done = ao("evolve", "--max-cycles=2", f"--agent-command={agent}", cwd=odd)
    rows = [json.loads(line) for line in (odd / ".agents/evolve/cycle-history.jsonl").read_text().splitlines()]
    assert done.code == 0 and [row["result"] for row in rows] == ["improved", "improved"], done
    assert json.loads(ao("report", "--json", cwd=odd).out)["repository"] == r"caf\udce9"
    assert ao("undo", cwd=odd).code == 0 and not (odd / "kept.txt").exists()
    assert json.loads(ao("trust", "--json", cwd=odd).out)["folder"].endswith(r"caf\xe9")
