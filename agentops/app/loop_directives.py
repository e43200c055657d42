"""The rung of directives, wired: what the ledger says was done for them since the goals file was last changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentops.evolve.quarantine import Standing
from agentops.goals.model import GoalsDocument
from agentops.records import snapshots
from agentops.records.times import wall_of
from agentops.work.directives import Directives


def directives(
    document: Callable[[], GoalsDocument | None], standings: Callable[[], Mapping[str, Standing]], top: str, run: str
) -> Directives:
    """The source. Without an era's baseline any productive row counts as done in it."""

    def done() -> frozenset[str]:
        found = document()
        began = snapshots.era_began(snapshots.era_folder(top, found.raw)) if found is not None else None
        return frozenset(target for target, one in standings().items() if _since(one, began))

    return Directives(
        lambda: found.directives if (found := document()) is not None else (),
        lambda: found.goals if (found := document()) is not None else (),
        done,
        run,
    )


def _since(one: Standing, began: float | None) -> bool:
    at = wall_of(one.productive_at) if one.productive_at else None
    return at is not None and (began is None or at >= began - 1.0)  # rows carry whole seconds
