"""A session's report with something of everything in it."""

from __future__ import annotations

import random

from agentops.core.agents import Usage
from agentops.core.fitness import Fitness, GoalOutcome, GoalResult
from agentops.core.judging import Result
from agentops.core.stops import Stop, StopReason
from agentops.core.work import PassedOver
from agentops.evolve.report import Attention, AttentionKind, FollowUp, Measured, Pause, SessionReport
from agentops.records.rows import CycleRow
from agentops.tree.story import Commit

START = 1_796_078_640.0
NAMES = (
    "tests-green",
    "lint-clean",
    "types-strict",
    "docs-current",
    "startup-fast",
    "no-debugging",
    "release-notes",
    "links-alive",
)


def a_night(cycles: int = 24, nasty: str = "") -> SessionReport:
    """From 22:04 to 06:04; `nasty` is put into every text that a file or an agent could have written."""
    rng = random.Random(7)
    state = dict.fromkeys(NAMES, GoalOutcome.FAIL) | {"tests-green": GoalOutcome.PASS}
    points, rows, commits = [_point(0, START, state)], [], []
    for cycle in range(1, cycles + 1):
        at, target = START + cycle * 1100, NAMES[rng.randrange(1, len(NAMES))]
        improved = rng.random() < 0.45 and state[target] is GoalOutcome.FAIL
        worse = not improved and rng.random() < 0.3
        if improved:
            state[target] = GoalOutcome.PASS
            commits.append(Commit(f"{cycle:040x}", f"{target}: make it so{nasty}", "ao", at, cycle, 3, 41, 7))
            commits.append(Commit(f"{cycle + 500:040x}", f"evolve: cycle {cycle} -- {target} improved", "ao", at, cycle, 1, 1, 0))
        elif rng.random() < 0.15:
            state[target] = GoalOutcome.FAIL
        result = Result.IMPROVED if improved else Result.REGRESSED if worse else Result.UNCHANGED
        reason = "target_reached" if improved else "goal:tests-green" if worse else "target_unmoved"
        rows.append(
            CycleRow(
                cycle,
                target + nasty,
                result,
                "2026-11-30T23:04:05Z",
                sha=f"{cycle:040x}" if improved else None,
                reason=reason,
                session_id="20261130-2204-a1b2",
                source="goal",
                worker="phases",
                agent="claude",
                title=f"The goal {target} holds{nasty}",
                seconds=400.0 + 37 * cycle,
                files_changed=3,
                level="bwrap",
                usd=0.41 if cycle % 5 else None,
                cost_known=bool(cycle % 5),
            )
        )
        points.append(_point(cycle, at, state))
    commits.append(Commit("f" * 40, f"Mend the parser by hand{nasty}", f"Maria{nasty}", START + 9000, None, 2, 12, 4))
    return SessionReport(
        session_id="20261130-2204-a1b2",
        run_id="20261130-2204-a1b2.1",
        started=START,
        ended=START + 8 * 3600,
        worked=6.4 * 3600,
        stop=Stop(StopReason.KILL_SWITCH, f".agents/evolve/STOP: enough for tonight{nasty}"),
        rows=tuple(rows),
        attention=(
            Attention(f"cycle 9 is contested: src/parser.py{nasty}", "ao diff 9", AttentionKind.CONTESTED),
            Attention(
                f"links-alive{nasty}: it rests: 3 tries without success (target_unmoved, goal:tests-green, target_unmoved)",
                "ao history",
                AttentionKind.RESTING,
            ),
            Attention("cycle 14 was kept although nothing could check it", "ao diff 14", AttentionKind.UNGATED),
        ),
        resting=(PassedOver(f"links-alive{nasty}", "it rests: 3 tries without success"),),
        declined=(PassedOver(f"release-notes{nasty}", "phases: only a person can write this"),),
        before=_fitness({**dict.fromkeys(NAMES, GoalOutcome.FAIL), "tests-green": GoalOutcome.PASS}, nasty),
        after=_fitness(state, nasty),
        usage=Usage(20000.0, 1_840_000, 96_000, 7.79),
        head_before="a" * 40,
        head_after="b" * 40,
        level="bwrap",
        notices=(f"cycle 3 had been cut off: taken-back{nasty}",),
        trajectory=tuple(points),
        pauses=(Pause("a limit of the agent", START + 7000, START + 12760, 7),),
        commits=tuple(commits),
        follow_ups=(
            FollowUp(
                "k1", f"Make the check `links-alive` give the same answer every time{nasty}", "bug", "medium", "", "cycles 4, 9"
            ),
            FollowUp("k2", "Find out why `links-alive` resists", "improvement", "medium", "", "3 tries", for_person=True),
        ),
        repository=f"weather-station{nasty}",
        branch="main",
        page="/home/maria/weather-station/.git/ao/reports/20261130-2204-a1b2.1.html",
    )


def _fitness(state: dict[str, GoalOutcome], nasty: str) -> Fitness:
    goals = tuple(GoalResult(name + nasty, outcome, 5, 0.1, output=nasty) for name, outcome in state.items())
    return Fitness("2026-11-30T22:04:00Z", "abc1234", goals)


def _point(after: int, wall: float, state: dict[str, GoalOutcome]) -> Measured:
    return Measured(after, wall, 50.0, dict(state))
