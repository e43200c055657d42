"""Whether an item of the work queue is done already, by what earlier runs left on the disk (agentops 1.9).

A mention is no proof, nor is that something failed before: only a run that is recorded as completed, a packet that the item
itself names, or a closure packet that is about it and holds artifacts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from agentops.host import files
from agentops.records.queue_rows import QueueItem, text

RUNS = ".agents/rpi/runs"
_CLOSURES = (".agents/releases/evidence-only-closures", ".agents/council/evidence-only-closures")
_MODES = frozenset({"commit", "staged", "worktree"})
_BEAD = re.compile(r"\b[A-Za-z][A-Za-z0-9]*-[A-Za-z0-9]+(?:\.[0-9]+)?\b")
_PACKET = re.compile(r"evidence-only-closures/([\w.-]+)\.json")
_NAME = re.compile(r"[\w.-]+")
_LARGEST = 4 * 1024 * 1024
_MOST_NAMES = 40
_MOST_RUNS = 500


def proof_of(item: QueueItem, top: str) -> str | None:
    """What proves that the item is done, in words; None when nothing does. Reads files below `top` only, a bounded number."""
    ref = item.fields.get("proof_ref")
    if isinstance(ref, dict):
        return _by_reference({str(key).lower(): value for key, value in ref.items()}, top)
    said = " ".join((item.epic, item.title, item.text("description")[:4000], item.text("evidence")[:4000]))
    names = dict.fromkeys((*_PACKET.findall(said), *_BEAD.findall(said)))
    for name in list(names)[:_MOST_NAMES]:
        if (found := _closure(name, top)) is not None:
            return found
    return _same_work(item, top)


def _by_reference(ref: dict[str, Any], top: str) -> str | None:
    match text(ref.get("kind")):
        case "completed_run":
            return _completed(text(ref.get("run_id")), top)
        case "execution_packet":
            packet = _json(top, text(ref.get("path")))
            if packet is not None and (text(packet.get("objective")) or text(packet.get("run_id"))):
                return f"the execution packet {ref['path']}"
            return _completed(text(ref.get("run_id")), top)
        case "evidence_only_closure":
            return _closure(text(ref.get("target_id")), top)
    return None


def _completed(run: str, top: str) -> str | None:
    if not _NAME.fullmatch(run):
        return None
    state = _json(top, f"{RUNS}/{run}/phased-state.json") or _json(top, ".agents/rpi/phased-state.json")
    if state is None or text(state.get("run_id")) not in ("", run) or text(state.get("terminal_status")) != "completed":
        return None
    return f"the run {run} is recorded as completed"


def _closure(target: str, top: str) -> str | None:
    """A closure packet that is about this target, and holds something."""
    if not target:
        return None
    for folder in _CLOSURES:
        packet = _json(top, f"{folder}/{target.replace('/', '_')}.json")
        if packet is None or text(packet.get("target_id")) != target or text(packet.get("evidence_mode")) not in _MODES:
            continue
        evidence = packet.get("evidence")
        if isinstance(evidence, dict) and isinstance(evidence.get("artifacts"), list) and evidence["artifacts"]:
            return f"the closure packet of {target}"
    return None


def _same_work(item: QueueItem, top: str) -> str | None:
    """A completed run of exactly this item: its title as the goal, its batch as epic or run."""
    if not item.epic:
        return None
    for run, state in _runs(top):
        fits = text(state.get("goal")).strip() == item.title and item.epic in (run, text(state.get("epic_id")))
        if fits and text(state.get("terminal_status")) == "completed":
            return f"the run {run} is recorded as completed"
    return None


def _runs(top: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        names = sorted(os.listdir(os.path.join(top, RUNS)), reverse=True)[:_MOST_RUNS]
    except OSError:
        return
    for name in names:
        if (state := _json(top, f"{RUNS}/{name}/phased-state.json")) is not None:
            yield name, state


def _json(top: str, path: str) -> dict[str, Any] | None:
    """A JSON object below `top`; None for anything else. An item must not make us read what lies elsewhere."""
    inside, root = os.path.realpath(os.path.join(top, path)), os.path.realpath(top)
    if not path or not inside.startswith(root + os.sep):
        return None
    try:
        found = msgspec.json.decode(files.read_bounded(inside, _LARGEST))
    except (OSError, msgspec.DecodeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
