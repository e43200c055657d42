"""Phase folders: `AO_PHASE_DIR` outside the repository while a phase runs, in our state when it has ended.

Outside, because Codex mounts `.git` read-only and Claude Code asks before it writes there (evolve.md section 4).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentops.core.agents import AgentRun
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.host.files import read_bounded
from agentops.host.folders import bring_home, drop_folder, fresh_folder
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said, from_council, from_json, from_promise

_COUNCIL = os.path.join(".agents", "council")


@dataclass(frozen=True, slots=True)
class PhaseFolder:
    """One attempt's folder. `council`: reports that were there before, which can't speak for this run."""

    path: str
    home: str
    phase: Phase
    council_folder: str
    council: frozenset[str]


class PhaseFolders:
    """`live` is where phases write, `home` where their files end up. `exit_speaks`: exit 0 counts as DONE when nothing
    else was said; true for plain commands, which have no other word (docs/decisions/0003).
    """

    def __init__(self, live: str, home: str, exit_speaks: bool) -> None:
        self._live = live
        self._home = home
        self._exit_speaks = exit_speaks

    def open(self, start: Start, phase: Phase, attempt: int, place: Place) -> PhaseFolder:
        name = f"{phase}-{attempt}"
        path = fresh_folder(os.path.join(self._live, start.run, str(start.cycle), name))
        council = os.path.join(place.path, _COUNCIL)
        return PhaseFolder(path, os.path.join(self._cycle_home(start), name), phase, council, _names(council))

    def close(self, folder: PhaseFolder, run: AgentRun) -> PhaseVerdict | None:
        """Bring the files home and read what the phase said."""
        verdict = self._verdict(folder, run)
        drop_folder(folder.home)
        bring_home(folder.path, folder.home)
        drop_folder(folder.path)
        return verdict

    def finished(self, start: Start) -> list[str]:
        """Folders of this cycle's finished phases, oldest phase first."""
        home = self._cycle_home(start)
        order = list(Phase)
        names = [name for name in _names(home) if name.rpartition("-")[0] in order]
        return [
            os.path.join(home, name)
            for name in sorted(names, key=lambda name: (order.index(Phase(name.rpartition("-")[0])), name))
        ]

    def _cycle_home(self, start: Start) -> str:
        """By the session (`<session>.<n>` names a run): a parked cycle goes on in another run, with what was found out."""
        return os.path.join(self._home, start.run.rpartition(".")[0] or start.run, str(start.cycle))

    def _verdict(self, folder: PhaseFolder, run: AgentRun) -> PhaseVerdict | None:
        raw = _plain(os.path.join(folder.path, "verdict.json"))
        if raw is not None and (verdict := from_json(folder.phase, raw)):
            return verdict
        for name in sorted(_names(folder.council_folder) - folder.council, reverse=True):
            report = _plain(os.path.join(folder.council_folder, name))
            if report is not None and (verdict := from_council(folder.phase, report.decode("utf-8", "replace"))):
                return verdict
        if verdict := from_promise(folder.phase, run.text):
            return verdict
        return PhaseVerdict(Said.DONE) if self._exit_speaks and run.ended is Ended.OK else None


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _plain(path: str) -> bytes | None:
    """A regular file's first MiB; a link, pipe or device that an agent left there is not opened."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        return read_bounded(path, 1 << 20)
    except OSError:
        return None
