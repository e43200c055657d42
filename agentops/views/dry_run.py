"""What `--dry-run` prints: what the next cycle would do, and what was passed over and why."""

from __future__ import annotations

from agentops.evolve.report import DryRun
from agentops.views.blocks import Block, Table, clipped


def blocks(found: DryRun) -> list[Block]:
    """The ladder's decision. Nothing was written to say so."""
    out: list[Block] = ["Nothing was changed or written."]
    if found.stopped is not None:
        out.append(f"A real start would do nothing either: {found.stopped}")
    if found.fitness is not None:
        out.append(f"Goals passing: {found.fitness.passing} of {len(found.fitness.goals)}")
    if found.chosen is None:
        out.append("There is nothing that the next cycle could do.")
    else:
        out.append(f"The next cycle would work on {found.chosen.key}: {clipped(found.chosen.title, 120)}")
        out.append(f"  source {found.source} · worker {found.worker or 'none'} · weight {found.chosen.weight}")
        if found.chosen.fix:
            out.append(f"  fix: {clipped(found.chosen.fix, 160)}")
    if found.others:
        out += ["", "After that"]
        waiting = tuple((item.key, str(item.weight), clipped(item.title, 80)) for item in found.others)
        out.append(Table(("target", "weight", "title"), waiting, frozenset({1})))
        if found.more:
            out.append(f"  and {found.more} more")
    if found.passed_over:
        out += ["", "Passed over"]
        out += [f"  {passed.key}: {clipped(passed.why, 160)}" for passed in found.passed_over]
    if found.limits:
        out += ["", "Limits"]
        out += [f"  {limit}" for limit in found.limits]
    out += [f"note: {clipped(notice, 200)}" for notice in found.notices]
    return out
