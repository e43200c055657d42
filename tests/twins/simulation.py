"""Thousands of cycles in seconds: the real loop on twins, with crashes, limits, liars, and a person who works meanwhile."""

from __future__ import annotations

import resource
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from agentops.core.journals import Step
from agentops.core.stops import StopReason
from agentops.core.wire import parse
from agentops.evolve.recovery import answer
from agentops.evolve.report import SessionReport
from agentops.evolve.supervisor import Supervisor
from agentops.policy.settings import Settings
from tests.twins.agent import BAD
from tests.twins.journal import Crash
from tests.twins.loop import GOALS, World

NIGHT = 200
"""Cycles of one session; the journal begins anew with each."""


@dataclass
class Summary:
    """What a simulation saw. `failures` is empty when every invariant held."""

    seed: int
    cycles: int = 0
    starts: int = 0
    sessions: int = 0
    crashes: int = 0
    left_alone: int = 0
    results: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    memory_mib: tuple[float, float] = (0.0, 0.0)
    failures: list[str] = field(default_factory=list)


def simulate(seed: int, cycles: int) -> Summary:
    """Run until the ledger has `cycles` rows. Deterministic by seed."""
    world, summary = World(seed), Summary(seed)
    settings = Settings(hours=10.0)
    early = 0.0
    rows_checked = 0
    while rows_checked < cycles:
        summary.sessions += 1
        session = f"s{summary.sessions}"
        _person_works(world)
        if world.rng.random() < 0.5:
            world.ledger.release(tuple(world.ledger.standings), 0)
        _session(world, session, settings, summary)
        rows = world.ledger.rows
        numbers = [row.cycle for row in rows]
        if any(later <= earlier for earlier, later in pairwise(numbers)):
            summary.failures.append(f"{session}: numbers do not rise: {numbers[-20:]}")
        for row in rows[1 if rows_checked else 0 :]:
            summary.results[str(row.result)] += 1
            summary.reasons[str(row.reason).split(":")[0]] += 1
        rows_checked += len(rows) - (1 if rows_checked else 0)
        world.ledger.rows = rows[-1:]
        world.tree.forget()
        if not early and rows_checked > cycles * 0.2:
            early = _memory()
    summary.cycles, summary.memory_mib = rows_checked, (early, _memory())
    return summary


def _session(world: World, session: str, settings: Settings, summary: Summary) -> None:
    """One session over as many starts as its crashes need."""
    begun = False
    for start in range(1, 200):
        summary.starts += 1
        run = f"{session}.{start}"
        state = world.journal.read()
        world.journal.run = run
        try:
            if not begun:
                world.journal.begin_session(session, head=world.tree.commits[-1], last_cycle=world.journal.last_cycle())
                begun = True
            parts, scope = world.parts(session, run, settings, state.worked if begun and start > 1 else 0.0)
            world.journal.note(Step.RUN)
            report = Supervisor(parts).run(scope)
        except Crash:
            summary.crashes += 1
            world.clock.pass_(world.rng.uniform(0.0, 100.0))
            if world.rng.random() < 0.3:
                _person_works(world)
            continue
        summary.stops[str(report.stop.reason)] += 1
        _check(world, report, summary)
        if report.stop.reason is StopReason.CONTESTED and (open_cycle := world.journal.open_cycle()) is not None:
            summary.left_alone += 1
            world.journal.crashes, keep = 0.0, world.journal.crashes
            answer(open_cycle, parts, world.rng.random() < 0.5, lambda line: None)
            world.journal.crashes = keep
        return
    summary.failures.append(f"{session} did not end in 200 starts")


def _check(world: World, report: SessionReport, summary: Summary) -> None:
    """One outcome for each cycle that was opened: counted in the journal, compared with the ledger."""
    opened, closed, rows = Counter[int](), Counter[int](), Counter(row.cycle for row in world.ledger.rows)
    for line in map(parse, world.journal.lines):
        if line["step"] == Step.OPENED:
            opened[line["cycle"]] += 1
        if line["step"] in (Step.CLEARED, Step.DECLINED, Step.ASKED):
            closed[line["cycle"]] += 1
    twice = [cycle for cycle, count in rows.items() if count > 1]
    if twice:
        summary.failures.append(f"{report.run_id}: two rows for {twice}")
    never = [cycle for cycle in opened if not closed[cycle]]
    if never:
        summary.failures.append(f"{report.run_id}: opened and never ended: {never}")
    for goal in GOALS:
        if report.after is not None and (seen := report.after.of(goal.id)) is None:
            summary.failures.append(f"{report.run_id}: {goal.id} is not in the report: {seen}")


def _person_works(world: World) -> None:
    for _ in range(world.rng.randrange(1, 4)):
        world.tree.write(f"g{world.rng.randrange(8)}", BAD)
        world.tree.write(f"mine{world.rng.randrange(5)}", world.rng.randbytes(4))
    if world.rng.random() < 0.5:
        world.tree.commit(mine=False)


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(simulate(1, 2000))
