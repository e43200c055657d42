"""The same facts for programs: one JSON object, times in UTC, nothing shortened."""

from __future__ import annotations

import msgspec

from agentops.core import wire
from agentops.core.errors import ExitCode
from agentops.core.fitness import Fitness
from agentops.core.work import PassedOver, WorkItem
from agentops.evolve.report import DryRun, FollowUp, Measured, SessionReport
from agentops.records import fitness_file, rows
from agentops.records.rows import CycleRow
from agentops.records.times import utc_text
from agentops.tree.story import Commit
from agentops.views.status import Status


def report(one: SessionReport, code: ExitCode) -> str:
    """A session's report. `rows` have the ledger's keys, `before` and `after` those of a fitness snapshot."""
    return _text(
        {
            "session_id": one.session_id,
            "run_id": one.run_id,
            "started": utc_text(one.started),
            "ended": utc_text(one.ended),
            "worked_seconds": round(one.worked, 3),
            "stop_reason": str(one.stop.reason),
            "stop_detail": one.stop.detail,
            "exit_code": int(code),
            "repository": one.repository,
            "branch": one.branch,
            "counts": {"cycles": one.cycles, "productive": one.productive, "regressed": one.regressed, "idle": one.idle},
            "attention": [{"kind": each.kind, "what": each.what, "command": each.command} for each in one.attention],
            "rows": [row(each) for each in one.rows],
            "resting": _passed(one.resting),
            "declined": _passed(one.declined),
            "before": _fitness(one.before),
            "after": _fitness(one.after),
            "usage": {
                "seconds": one.usage.seconds,
                "tokens_in": one.usage.tokens_in,
                "tokens_out": one.usage.tokens_out,
                "usd": one.usage.usd,
                "cycles_of_unknown_cost": one.unknown_costs,
            },
            "head_before": one.head_before,
            "head_after": one.head_after,
            "sandbox": one.level,
            "survivors": one.survivors,
            "notices": list(one.notices),
            "commits": [{**_plain(each), "at": utc_text(each.wall)} for each in one.commits],
            "more_commits": one.more_commits,
            "pauses": [
                {"why": each.why, "began": utc_text(each.began), "ended": utc_text(each.ended), "cycle": each.cycle}
                for each in one.pauses
            ],
            "trajectory": [{**_plain(each), "at": utc_text(each.wall), "passing": each.passing} for each in one.trajectory],
            "follow_ups": [_plain(each) for each in one.follow_ups],
            "page": one.page,
        }
    )


def dry_run(one: DryRun) -> str:
    """What the next cycle would do."""
    return _text(
        {
            "chosen": _item(one.chosen) if one.chosen is not None else None,
            "source": one.source,
            "worker": one.worker,
            "others": [_item(each) for each in one.others],
            "others_not_listed": one.more,
            "passed_over": _passed(one.passed_over),
            "limits": list(one.limits),
            "notices": list(one.notices),
            "stopped": one.stopped,
            "fitness": _fitness(one.fitness),
        }
    )


def status(one: Status) -> str:
    """What is running, and what waits."""
    return _text(
        {
            "running": one.running,
            "holder": one.holder,
            "session_id": one.session_id,
            "run_id": one.run_id,
            "cycle": one.cycle,
            "target": one.target,
            "phase": one.phase,
            "phase_started": _moment(one.phase_started),
            "session_started": _moment(one.session_started),
            "paused": one.paused,
            "parked": one.parked,
            "question": one.question,
            "stops": [{"path": each.path, "since": utc_text(each.since), "text": each.text} for each in one.stops],
            "rows": [row(each) for each in one.rows],
        }
    )


def history(found: tuple[CycleRow, ...]) -> str:
    """Rows as JSON Lines, under the ledger's keys."""
    return "".join(rows.encode(each).decode() + "\n" for each in found)


def row(one: CycleRow) -> object:
    """One row as plain values under the ledger's keys."""
    return msgspec.json.decode(rows.encode(one))


def _plain(one: Commit | Measured | FollowUp) -> dict[str, object]:
    """A record's own fields; a moment is told as UTC beside them."""
    found: dict[str, object] = msgspec.to_builtins(one)
    found.pop("wall", None)
    return found


def _fitness(one: Fitness | None) -> object:
    return fitness_file.as_plain(one) if one is not None else None


def _item(one: WorkItem) -> dict[str, object]:
    return {"source": one.source, "key": one.key, "title": one.title, "weight": one.weight, "check": one.check, "fix": one.fix}


def _passed(found: tuple[PassedOver, ...]) -> list[dict[str, str]]:
    return [{"key": each.key, "why": each.why} for each in found]


def _moment(wall: float | None) -> str | None:
    return utc_text(wall) if wall is not None else None


def _text(value: object) -> str:
    return msgspec.json.format(wire.legible(value), indent=2).decode() + "\n"
