"""Phase folders: `AO_PHASE_DIR` outside the repository while a phase runs, in our state when it has ended.

Outside, because Codex mounts `.git` read-only and Claude Code asks before it writes there (evolve.md section 4).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from agentops.core.agents import AgentRun
from agentops.core.places import Place, Start
from agentops.core.processes import Ended
from agentops.host.entries import remove_folder
from agentops.host.files import ensure_folder, read_bounded, remove, write_atomic
from agentops.host.folders import bring_home, drop_folder, fresh_folder
from agentops.records.packets import PACKET, RESULT, ExecutionPacket, PhaseResult, pretty, read_result
from agentops.rpi.council import COUNCIL, Stamps, fresh, stamps
from agentops.rpi.verdicts import Phase, PhaseVerdict, Said, from_council, from_json, from_promise

VERDICT = "verdict.json"
PLAIN_COMMAND = "command"
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class PhaseFolder:
    """One attempt's folder. `council`: the reports that were there before, as they were."""

    path: str
    home: str
    phase: Phase
    council_folder: str
    council: Stamps


class PhaseFolders:
    """`live` is where phases write, `home` where their files end up. `exit_speaks`: exit 0 counts as DONE when nothing
    else was said; true for plain commands, which have no other word (docs/decisions/0003).
    """

    def __init__(self, live: str, home: str, exit_speaks: bool) -> None:
        self._live = live
        self._home = home
        self._exit_speaks = exit_speaks

    def begin(self, start: Start) -> None:
        """A cycle begins afresh: nothing of an earlier one of its number speaks for it."""
        drop_folder(self.cycle_home(start))

    def open(self, start: Start, phase: Phase, attempt: int, place: Place) -> PhaseFolder:
        name = f"{phase}-{attempt}"
        above = os.path.join(self._live, start.run, str(start.cycle))
        ensure_folder(above)
        path = fresh_folder(os.path.join(above, name))
        council = os.path.join(place.path, COUNCIL)
        return PhaseFolder(path, os.path.join(self.cycle_home(start), name), phase, council, stamps(council))

    def close(self, folder: PhaseFolder, run: AgentRun) -> PhaseVerdict | None:
        """Bring the files home and read what the phase said."""
        verdict = self._verdict(folder, run)
        drop_folder(folder.home)
        bring_home(folder.path, folder.home)
        _ours(os.path.join(folder.home, RESULT))
        drop_folder(folder.path)
        _drop_empty(os.path.dirname(folder.path), self._live)
        return verdict

    def note(self, folder: PhaseFolder, result: PhaseResult) -> None:
        """Lay the result beside what the phase left; a resumed cycle counts its tries by it."""
        write_atomic(os.path.join(folder.home, RESULT), pretty(result), durable=False)

    def hand_on(self, start: Start, packet: ExecutionPacket) -> None:
        """The execution packet, where the prompts of the later phases find it."""
        ensure_folder(self.cycle_home(start))
        write_atomic(os.path.join(self.cycle_home(start), PACKET), pretty(packet), durable=False)

    def finished(self, start: Start) -> list[str]:
        """The folder of each finished phase's last try, in the order of the phases."""
        home = self.cycle_home(start)
        last = {_phase_of(name): os.path.join(home, name) for name in sorted(_names(home), key=_order) if _phase_of(name)}
        return list(last.values())

    def results(self, start: Start) -> list[PhaseResult]:
        """What was noted of every try, in the order in which they ended; a parked one is among them as `started`."""
        return read_results(self.cycle_home(start))

    def said(self, start: Start, phase: Phase) -> PhaseVerdict | None:
        """What the last try of a phase said in its `verdict.json`, for a cycle that goes on in another run."""
        folders = [folder for folder in self.finished(start) if _phase_of(os.path.basename(folder)) is phase]
        raw = plain(os.path.join(folders[-1], VERDICT)) if folders else None
        return from_json(phase, raw) if raw is not None else None

    def cycle_home(self, start: Start) -> str:
        """By the session (`<session>.<n>` names a run): a parked cycle goes on in another run, with what was found out."""
        return os.path.join(self._home, session_of(start.run), str(start.cycle))

    def _verdict(self, folder: PhaseFolder, run: AgentRun) -> PhaseVerdict | None:
        raw = plain(os.path.join(folder.path, VERDICT))
        if raw is not None and (verdict := from_json(folder.phase, raw)):
            return verdict
        for name in fresh(folder.council, stamps(folder.council_folder), folder.phase):
            report = plain(os.path.join(folder.council_folder, name))
            if report is not None and (verdict := from_council(folder.phase, report.decode("utf-8", "replace"))):
                return verdict
        if verdict := from_promise(folder.phase, run.text):
            return verdict
        speaks = self._exit_speaks and run.agent in ("", PLAIN_COMMAND)  # others in a crew have a word of their own
        return PhaseVerdict(Said.DONE) if speaks and run.ended is Ended.OK else None


def _ours(path: str) -> None:
    """A name that is ours to write: an agent's file would speak for a try after a crash, its folder could not be replaced."""
    if os.path.isdir(path):
        drop_folder(path)
    else:
        remove(path)


def session_of(run: str) -> str:
    """The session that a run belongs to."""
    return run.rpartition(".")[0] or run


def read_results(home: str) -> list[PhaseResult]:
    """The noted results below one cycle's folder, in the order in which they ended."""
    found = [plain(os.path.join(home, name, RESULT)) for name in sorted(_names(home), key=_order) if _phase_of(name)]
    results = [result for raw in found if raw is not None and (result := read_result(raw)) is not None]
    return sorted(results, key=lambda one: one.completed_at)


def plain(path: str) -> bytes | None:
    """A regular file's first MiB; a link, pipe or device that an agent left there is not opened."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        return read_bounded(path, _LARGEST)
    except OSError:
        return None


def _phase_of(name: str) -> Phase | None:
    word, _, number = name.rpartition("-")
    return Phase(word) if word in list(Phase) and number.isdigit() else None


def _order(name: str) -> tuple[int, int, str]:
    phase = _phase_of(name)
    return (list(Phase).index(phase), int(name.rpartition("-")[2]), name) if phase is not None else (-1, 0, name)


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _drop_empty(folder: str, top: str) -> None:
    """Remove the folders that a night of cycles would leave empty, up to `top`."""
    while folder.startswith(top + os.sep) and remove_folder(folder):
        folder = os.path.dirname(folder)
