"""Reports of ended sessions in our state folder: one page and one JSON a start, the oldest removed."""

from __future__ import annotations

import os

from agentops.app.opening import Here
from agentops.host import files
from agentops.host.faults import fault

KEPT = 60
"""Starts whose reports are kept: two months of nights."""
MOST_BYTES = 64 * 1024 * 1024


def folder(here: Here) -> str:
    """Where they lie: outside the tree, so that no branch switch, clean or agent reaches them."""
    return os.path.join(here.state, "reports")


def page_path(here: Here, run: str) -> str:
    """The HTML report of a start."""
    return os.path.join(folder(here), f"{run}.html")


def json_path(here: Here, run: str) -> str:
    """The same facts as JSON."""
    return os.path.join(folder(here), f"{run}.json")


def write(path: str, text: str) -> None:
    """Replace one of them at once or not at all. Raises OSError."""
    fault("reports.write.before")
    files.ensure_folder(os.path.dirname(path))
    files.write_atomic(path, text.encode("utf-8", "backslashreplace"), named=False)
    fault("reports.write.after")


def runs(here: Here) -> list[str]:
    """Starts that left a report, the latest last."""
    try:
        names = os.listdir(folder(here))
    except OSError:
        return []
    found = [name.removesuffix(".json") for name in names if name.endswith(".json") and not name.startswith(".")]
    return sorted(found, key=lambda run: (_changed(json_path(here, run)), run))


def read(here: Here, run: str) -> bytes:
    """The JSON of a start. Raises OSError."""
    return files.read_bounded(json_path(here, run), MOST_BYTES)


def forget_old(here: Here) -> None:
    """Remove the reports of all but the last starts. Raises OSError."""
    for run in runs(here)[:-KEPT]:
        for path in (json_path(here, run), page_path(here, run)):
            files.remove(path)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
