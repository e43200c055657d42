"""What upstream's tools read of a run in phases, written into `.agents/` when the cycle's row stands.

Only then is it known what became of the work: a run counts there as completed when it is kept, and upstream takes a
completed run as proof that queued work is done. Between a cycle's first snapshot and its verdict nothing of ours is
written into the tree.
"""

from __future__ import annotations

import os
import re

from agentops.core.judging import ReasonKind, Result
from agentops.core.work import AGENT_WORKER
from agentops.host.files import ensure_folder, write_atomic
from agentops.records.packets import PACKET, STATE, PhasedState, PhaseResult, pretty
from agentops.records.rows import CycleRow
from agentops.rpi.harvesting import leads_away
from agentops.rpi.packet import GATES, NUMBER
from agentops.rpi.phase_folders import VERDICT, plain, read_results, session_of
from agentops.rpi.scope_escapes import FOLDER, OWN, name_of, report
from agentops.rpi.verdicts import Phase, from_json

_RPI = os.path.join(".agents", "rpi")
_RUN_ID = re.compile(rb'"run_id"\s*:\s*"([A-Za-z0-9._-]{1,100})"')


class Artifacts:
    """`top`: the checkout; `home`: where finished phase folders lie, by session and cycle."""

    def __init__(self, top: str, home: str, *, test_first: bool = True) -> None:
        self._top = top
        self._home = home
        self._test_first = test_first

    def publish(self, row: CycleRow) -> str | None:
        """Write what there is of the row's cycle; a line for the person where one is due. Raises OSError."""
        if row.worker != AGENT_WORKER or not row.run_id:
            return None
        home = os.path.join(self._home, session_of(row.run_id), str(row.cycle))
        results = read_results(home)
        if not results:
            return None
        run = results[-1].run_id
        for name in (os.path.join(_RPI, "runs", run), FOLDER):
            # Kept work may hold a link: what is written for other tools stays in this tree.
            if leads_away(self._top, os.path.join(name, "x")):
                return f"nothing was written for other tools about cycle {row.cycle}: {name} is no folder of this tree"
        ours = {STATE: pretty(state_of(row, run, results, self._top, self._test_first))}
        packet = plain(os.path.join(home, PACKET))
        if packet is not None:
            ours[PACKET] = packet
        runs = os.path.join(self._top, _RPI, "runs", run)
        ensure_folder(runs, 0o755)
        for name, content in ours.items():
            write_atomic(os.path.join(runs, name), content, mode=0o644, durable=False)
        last = {one.phase: one for one in results}
        latest = ours | {f"phase-{number}-result.json": pretty(one) for number, one in last.items()}
        for name, content in latest.items():
            path = os.path.join(self._top, _RPI, name)
            if self._replaceable(path):
                write_atomic(path, content, mode=0o644, durable=False)
        return self._scope_escape(row, home) if (row.reason or "").startswith(ReasonKind.SCOPE_ESCAPE) else None

    def _replaceable(self, path: str) -> bool:
        """Nothing is there, or the latest of a run whose own folder keeps it; another tool's file is not overwritten."""
        if not os.path.lexists(path):
            return True
        found = plain(path)
        run = _RUN_ID.search(found) if found is not None else None
        return run is not None and os.path.isdir(os.path.join(self._top, _RPI, "runs", run[1].decode()))

    def _scope_escape(self, row: CycleRow, home: str) -> str | None:
        folders = [os.path.join(home, name) for name in sorted(os.listdir(home)) if os.path.isdir(os.path.join(home, name))]
        own = next((found for folder in folders if (found := plain(os.path.join(folder, OWN)))), None)
        spoken = [
            (phase, raw)
            for folder in folders
            for phase in Phase
            if os.path.basename(folder).startswith(phase) and (raw := plain(os.path.join(folder, VERDICT)))
        ]
        verdicts = [verdict for phase, raw in spoken if (verdict := from_json(phase, raw)) and verdict.said == "SCOPE_ESCAPE"]
        text = report(
            row.title or row.target,
            row.target,
            verdicts[-1] if verdicts else None,
            own.decode("utf-8", "replace") if own else None,
        )
        name = os.path.join(FOLDER, name_of(row.timestamp[:10], row.cycle, row.target))
        ensure_folder(os.path.join(self._top, FOLDER), 0o755)
        write_atomic(os.path.join(self._top, name), text.encode("utf-8", "backslashreplace"), mode=0o644)
        return f"`{row.target}` needs more than its scope; what it would take: {name}"


def state_of(row: CycleRow, run: str, results: list[PhaseResult], top: str, test_first: bool) -> PhasedState:
    """The run as a whole, as its row tells it. Pure."""
    interrupted = (row.reason or "") == ReasonKind.INTERRUPTED
    kept = row.result in (Result.IMPROVED, Result.HARVESTED) or (row.reason or "") == ReasonKind.ALREADY_DONE
    attempts = {f"phase_{number}": sum(one.phase == number for one in results) for number in NUMBER.values()}
    gates = {name: said for one in results for name, said in one.verdicts.items() if name != GATES[Phase.IMPLEMENTATION]}
    return PhasedState(
        goal=row.title or row.target,
        run_id=run,
        cycle=row.cycle,
        phase=results[-1].phase,
        terminal_status="completed" if kept else "interrupted" if interrupted else "failed",
        terminal_reason=row.reason or "",
        terminated_at=row.timestamp,
        tracker_reason=f"work of the source `{row.source}`",
        test_first=test_first,
        verdicts=gates,
        attempts={name: count for name, count in attempts.items() if count},
        started_at=results[0].started_at,
        worktree_path=top,
        backend=results[-1].backend,
    )
