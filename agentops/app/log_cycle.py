"""Appending a script's row to the ledger: its commits exist, its number comes next, and `improved` changed something."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from agentops.app.opening import Here, open_here
from agentops.core.errors import UsageError
from agentops.core.judging import Result
from agentops.evolve.own_files import LEDGER
from agentops.records import rows, script_rows
from agentops.records.script_rows import NO_DELTA_OUTSIDE, ScriptRow


class RowRefused(UsageError):
    """The row was not written."""

    mend = "evolve-log-cycle.sh --help"


def log_cycle(
    row: ScriptRow, cwd: str, env: Mapping[str, str], *, root: str | None, history: str | None, info: Callable[[str], None]
) -> bytes:
    """Append the row, and return the line as it stands in the ledger now. Raises RowRefused with nothing written."""
    here = open_here(os.path.join(cwd, root) if root else cwd, env, to_work=False, make=False)
    if (why := script_rows.missing(row)) is not None:
        raise RowRefused(why)
    if row.productive:
        for option, sha in (
            ("--canonical-sha", row.canonical_sha),
            ("--cycle-start-sha", row.start_sha),
            ("--log-sha", row.log_sha),
        ):
            if sha and not _is_commit(here, sha):
                raise RowRefused(f"{option} `{sha}` is no commit here")
    if row.result is Result.IMPROVED and not _changed(here, row):
        info(f"INFO: {row.start_sha}..{row.canonical_sha} changes nothing outside .agents and the goals; logged as unchanged")
        row = script_rows.without_delta(row)
    path = os.path.join(here.repository.top, history or LEDGER)
    line = script_rows.encode(row)
    expected = rows.append_next(path, row.cycle, line)
    if expected is not None:
        raise RowRefused(f"the next cycle is {expected}, not {row.cycle} ({path})", mend=f"--cycle {expected}")
    return line


def _is_commit(here: Here, sha: str) -> bool:
    return (
        not sha.startswith("-") and here.git.run("rev-parse", "--verify", "--quiet", f"{sha}^{{commit}}", check=False).code == 0
    )


def _changed(here: Here, row: ScriptRow) -> bool:
    asked = here.git.run(
        "diff", "--quiet", "--no-ext-diff", f"{row.start_sha}..{row.canonical_sha}", "--", ".", *NO_DELTA_OUTSIDE, check=False
    )
    if asked.code not in (0, 1):
        raise RowRefused(f"git cannot compare {row.start_sha} with {row.canonical_sha}")
    return asked.code == 1
