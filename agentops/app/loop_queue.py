"""The work queue of a repository, wired: where it lies, whose items are wanted, and the edits that a person makes meanwhile."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

from agentops.app.opening import Here
from agentops.app.queue_names import EDITS, RELEASED, queue_path
from agentops.host import files
from agentops.policy.settings import Settings
from agentops.records.proofs import proof_of
from agentops.records.queue_file import QueueFile
from agentops.records.times import utc_text
from agentops.tree.naming import repository_name
from agentops.work.harvested import Harvested
from agentops.work.queue_ranking import rank

_MOST_EDITS = 1024 * 1024


def wanted_repository(settings: Settings, here: Here) -> str:
    """Whose items are wanted: what was asked for, else this repository's name; empty for everybody's."""
    if settings.repo_filter is not None:
        return settings.repo_filter
    return repository_name(here.repository.top, here.repository.common_dir)


def harvested(settings: Settings, here: Here, *, run: str, number: Callable[[], int], leased: bool) -> Harvested:
    """The source of harvested work for one run."""
    home = hashlib.sha256(os.fsencode(os.path.realpath(here.state))).hexdigest()[:8]
    return Harvested(
        QueueFile(queue_path(here.repository.top)),
        repo=wanted_repository(settings, here),
        home=home,
        run=run,
        number=number,
        now=lambda: utc_text(here.clock.now().wall),
        proof=lambda item: proof_of(item, here.repository.top),
        leased=leased,
    )


def free_items(settings: Settings, here: Here) -> int:
    """How many items the queue would offer now."""
    return len(rank(QueueFile(queue_path(here.repository.top)).read(), wanted_repository(settings, here)))


def person_edits(here: Here) -> frozenset[str]:
    """Digests of the rows that a person changed through `ao queue`."""
    try:
        said = files.read_tail(os.path.join(here.state, EDITS), _MOST_EDITS)
    except OSError:
        return frozenset()
    return frozenset(said.decode("ascii", "replace").split())


def take_released(here: Here) -> frozenset[str]:
    """Targets that a person freed, until `released_noted` says that they are written down: a word that was taken by a start
    that died is heard by the next. Moved aside first: a word that comes meanwhile is kept.
    """
    path, taken = os.path.join(here.state, RELEASED), _taken(here)
    if not os.path.lexists(taken):
        if not os.path.lexists(path):
            return frozenset()
        files.move(path, taken)
    said = files.read_tail(taken, _MOST_EDITS).decode("utf-8", "replace").splitlines()
    return frozenset(filter(None, said))


def released_noted(here: Here) -> None:
    """What was taken last is written down; what came since is next."""
    if os.path.lexists(taken := _taken(here)):
        files.remove(taken)


def _taken(here: Here) -> str:
    return os.path.join(here.state, f"{RELEASED}.taken")
