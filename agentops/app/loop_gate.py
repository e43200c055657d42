"""The gate as the loop uses it: integrity, the repository's own commands, then all goals."""

from __future__ import annotations

import os
from collections.abc import Sequence

from agentops.app.loop_goals import LoopGoals
from agentops.app.opening import Here
from agentops.core.fitness import Fitness
from agentops.core.judging import Check
from agentops.core.places import Place
from agentops.core.processes import Host
from agentops.core.stops import Scope
from agentops.core.work import WorkItem
from agentops.gate.commands import CommandsCheck
from agentops.gate.directive_check import DirectiveCheck
from agentops.gate.goals import GoalsCheck
from agentops.gate.integrity import IntegrityCheck
from agentops.gate.own_check import OwnCheck, holds
from agentops.gate.settings_kept import SettingsCheck
from agentops.gate.systems import GateCommand
from agentops.policy.reading import repository_says
from agentops.records.gate_costs import GateCosts

MEASURED = ("goal", "directive")
"""Sources whose own checks are goals, which are measured anyway."""


class LoopGate:
    """Implements the loop's `Gate`. The commands were found at the session's start and are judged with that copy."""

    def __init__(
        self,
        goals: LoopGoals,
        commands: Sequence[GateCommand],
        host: Host,
        top: str,
        limit: float,
        costs: GateCosts,
        network: bool = True,
    ) -> None:
        self._goals = goals
        self._commands = tuple(commands)
        self._host = host
        self._top = top
        self._limit = limit
        self._costs = costs
        self._network = network
        self._settings = repository_says(top)

    def checks(self, item: WorkItem, before: Fitness | None, touched: frozenset[str]) -> tuple[Check, ...]:
        goals_file = os.path.relpath(self._goals.path, self._top) if self._goals.path else None
        checks: list[Check] = [IntegrityCheck(goals_file, touched), SettingsCheck(self._top, self._settings, item)]
        if self._commands:
            checks.append(CommandsCheck(self._commands, self._host, self._limit, self._costs.note, self._network))
        if before is not None and self._goals.document is not None:
            target = self._goals.document.of(item.key) if item.source == "goal" else None
            goals = GoalsCheck(before, target, self._goals.measure, self._goals.once_more, self._goals.sample)
            checks.append(goals)
            wanted = next((one for one in self._goals.document.directives if one.key == item.key), None)
            if item.source == "directive" and wanted is not None and item.check is not None:
                checks.append(DirectiveCheck(wanted, before, lambda: goals.after))
        if item.source not in MEASURED and item.check is not None:
            checks.append(OwnCheck(item, self._host))
        return tuple(checks)

    def already(self, item: WorkItem, place: Place, scope: Scope) -> bool | None:
        if item.source in MEASURED or item.check is None:
            return None  # goals were just measured
        return holds(item, place, self._host, scope) is True


def gate_costs(here: Here) -> GateCosts:
    """How long each gate command took last in this repository."""
    return GateCosts(os.path.join(here.state, "gate-costs.json"))
