"""Measuring on behalf of scripts: into a file that they name, and as the baseline of an era."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentops.app.goal_files import open_goals
from agentops.app.measuring import measure_opened
from agentops.app.roots import root_of
from agentops.core import wire
from agentops.core.errors import UsageError
from agentops.core.fitness import Fitness
from agentops.host import files
from agentops.host.clock import SystemClock
from agentops.host.faults import fault
from agentops.records import fitness_file, snapshots
from agentops.records.times import utc_text

Note = Callable[[str], None]
_LABEL = re.compile(r"[A-Za-z0-9._-]+")


class BaselineThere(UsageError):
    """The era has its baseline already; --force takes another one."""

    mend = "--force"


@dataclass(frozen=True, slots=True)
class Copies:
    """Where older readers look for a baseline: the snapshot itself, a file with its path, an index of all of them."""

    legacy: str | None = None
    active: str | None = None
    index: str | None = None


def measure_into(
    output: str,
    cwd: str,
    env: Mapping[str, str],
    *,
    root: str | None,
    goal: str | None,
    file: str | None,
    timeout: float,
    total_timeout: float,
    note: Note,
) -> str:
    """Measure at the root and replace the snapshot `output` (which counts from there) as one act; its absolute path.

    Raises AoError or OSError when there is no measurement; the old snapshot then stands.
    """
    top = root_of(cwd, env, root)
    path = os.path.join(top, output)
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder", mend="--output FILE")
    fitness, _ = _measured(top, env, goal, file, timeout, total_timeout, note)
    fitness_file.write(path, fitness)
    return os.path.abspath(path)


def capture(
    cwd: str,
    env: Mapping[str, str],
    *,
    label: str | None,
    folder: str,
    force: bool,
    copies: Copies,
    root: str | None,
    file: str | None,
    timeout: float,
    total_timeout: float,
    note: Note,
) -> str:
    """Measure the baseline of an era into `<folder>/<label>/<moment>.json`; its path below the root.

    Raises BaselineThere before anything runs when the folder holds a JSON file already and `force` is off.
    """
    if label is not None and (not _LABEL.fullmatch(label) or not label.strip(".")):
        raise UsageError(
            f"the label `{label}` holds more than letters, digits, dots, underscores and hyphens", mend="--label NAME"
        )
    top = root_of(cwd, env, root)
    name = label if label is not None else snapshots.era_of(open_goals(top, env, file).document.raw)
    into = os.path.join(top, folder, name)
    if not force and snapshots.has_baseline(into):
        raise BaselineThere(f"{into} has a baseline already")
    fitness, sha = _measured(top, env, None, file, timeout, total_timeout, note)
    now = SystemClock().now().wall
    path = os.path.relpath(snapshots.save(into, fitness, now), top)
    if copies.legacy is not None:
        fitness_file.write(os.path.join(top, copies.legacy), fitness)
    if copies.active is not None:
        _write(os.path.join(top, copies.active), f"{path}\n".encode())
    if copies.index is not None:
        row = {"label": name, "path": path, "captured_at": utc_text(now), "sha": sha, "goals_total": len(fitness.goals)}
        fault("baseline_index.append.before")
        files.append_line(os.path.join(top, copies.index), wire.dump(row), mode=0o644)
    return path


def _measured(
    top: str, env: Mapping[str, str], goal: str | None, file: str | None, timeout: float, total_timeout: float, note: Note
) -> tuple[Fitness, str]:
    opened = open_goals(top, env, file)
    for one in opened.document.problems:
        note(f"{opened.document.path}:{one.line}: {one.text}")
    only = None if goal is None else (goal,)
    fitness = measure_opened(opened, env, only=only, timeout=timeout, total_timeout=total_timeout)
    return fitness, fitness.git_sha


def _write(path: str, data: bytes) -> None:
    files.ensure_folder(os.path.dirname(path), mode=0o755)
    files.write_atomic(path, data, mode=0o644)
