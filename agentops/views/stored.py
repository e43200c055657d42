"""A kept report read back from its JSON, so that it can be looked at again. What an older version did not write is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from agentops.core.agents import Usage
from agentops.core.errors import ExitCode
from agentops.core.stops import Stop
from agentops.core.work import PassedOver
from agentops.evolve.report import Attention, FollowUp, Measured, Pause, SessionReport
from agentops.records import fitness_file, rows
from agentops.records.times import wall_of
from agentops.tree.story import Commit

T = TypeVar("T")


def report_of(raw: bytes) -> SessionReport | None:
    """The report of a JSON text that `views/as_json.py` wrote; None for what is none."""
    try:
        found = msgspec.json.decode(raw)
        return _report(found) if isinstance(found, dict) else None
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _report(found: Mapping[str, Any]) -> SessionReport:
    usage = dict(found.get("usage", {}))
    usage.pop("cycles_of_unknown_cost", None)
    decoded = (rows.decode(msgspec.json.encode(one)) for one in found.get("rows", ()))
    return SessionReport(
        session_id=found["session_id"],
        run_id=found["run_id"],
        started=_wall(found["started"]),
        ended=_wall(found["ended"]),
        worked=float(found["worked_seconds"]),
        stop=msgspec.convert(
            {"reason": found["stop_reason"], "detail": found["stop_detail"], "exit_code": ExitCode(found["exit_code"])}, Stop
        ),
        rows=tuple(row for row in decoded if row is not None),
        attention=_all(Attention, found.get("attention", ())),
        resting=_all(PassedOver, found.get("resting", ())),
        declined=_all(PassedOver, found.get("declined", ())),
        before=_fitness(found.get("before")),
        after=_fitness(found.get("after")),
        usage=msgspec.convert(usage, Usage),
        head_before=found.get("head_before", ""),
        head_after=found.get("head_after", ""),
        level=found.get("sandbox", ""),
        survivors=found.get("survivors", 0),
        notices=tuple(found.get("notices", ())),
        trajectory=_all(Measured, [_at(one) for one in found.get("trajectory", ())]),
        pauses=tuple(
            Pause(one["why"], _wall(one["began"]), _wall(one["ended"]), one.get("cycle")) for one in found.get("pauses", ())
        ),
        commits=_all(Commit, [_at(one) for one in found.get("commits", ())]),
        more_commits=found.get("more_commits", 0),
        follow_ups=_all(FollowUp, found.get("follow_ups", ())),
        repository=found.get("repository", ""),
        branch=found.get("branch", ""),
        page=found.get("page", ""),
    )


def _all(kind: type[T], found: Any) -> tuple[T, ...]:
    return msgspec.convert(found, tuple[kind, ...], strict=False)  # type: ignore[valid-type]


def _at(one: Mapping[str, Any]) -> dict[str, Any]:
    """`at` is the moment in UTC text; records hold seconds since the epoch."""
    return {**one, "wall": _wall(one["at"])}


def _wall(text: str) -> float:
    at = wall_of(text)
    if at is None:
        raise ValueError(f"{text!r} is no moment")
    return at


def _fitness(found: Any) -> Any:
    return fitness_file.decode(msgspec.json.encode(found)) if found is not None else None
