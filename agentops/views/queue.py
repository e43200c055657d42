"""The work queue for a person, and for programs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from agentops.records.queue_rows import QueueItem, State
from agentops.views.blocks import Block, Table, Tone, clipped
from agentops.work.queue_ranking import Ranking

if TYPE_CHECKING:
    from agentops.records.queue_repair import Repair

_TONES = {State.IN_PROGRESS: Tone.GOOD, State.CONSUMED: Tone.DIM, State.HELD: Tone.DIM}
_SHOWN_FIRST = ("title", "type", "severity", "source", "target_repo", "description", "evidence")


def blocks(found: Ranking, limit: int) -> list[Block]:
    """What is free, in the order in which it would be taken, and what is passed over."""
    counts = ", ".join(f"{found.states[state]} {state.replace('_', ' ')}" for state in State if found.states[state])
    if not found.states and not found.odd:
        return ["The work queue is empty: ao queue add 'TITLE'"]
    out: list[Block] = []
    listed = list(itertools.islice(found, limit))
    if listed:
        out.append(_table(listed))
    if len(found) > len(listed):
        out.append(f"and {len(found) - len(listed)} more (--limit)")
    if found.passed_over:
        out += ["", "Passed over", *(f"  {clipped(one.key, 60)}: {clipped(one.why, 120)}" for one in found.passed_over)]
    out += ["", counts + (f"; {found.odd} lines hold no work (ao queue repair)" if found.odd else "")]
    return out


def every(found: tuple[QueueItem, ...], limit: int) -> list[Block]:
    """All items in the order of the file."""
    if not found:
        return ["The work queue is empty: ao queue add 'TITLE'"]
    more = [f"and {len(found) - limit} more (--limit)"] if len(found) > limit else []
    return [_table(found[:limit]), *more]


def one(item: QueueItem) -> list[Block]:
    """Everything that is known of an item."""
    out: list[Block] = [f"{item.ref}  {item.title}", f"  {item.state}" + (f": {item.held_by}" if item.held_by else "")]
    names = [*(name for name in _SHOWN_FIRST if name in item.fields), *(n for n in item.fields if n not in _SHOWN_FIRST)]
    for name in names:
        value = item.fields[name]
        if name in ("title", "items") or value in (None, "", [], {}):
            continue
        text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()
        first, *rest = text.splitlines() or [""]
        out.append(f"  {name}: {first}")
        out += [f"    {line}" for line in rest]
    if item.epic:
        out.append(f"  source_epic: {item.epic}")
    return out


def repaired(found: Repair, *, wrote: bool) -> list[Block]:
    """What a repair did, or would do."""
    if not found.done and not found.left:
        return ["Nothing is wrong with the work queue."]
    out: list[Block] = []
    if found.done:
        out += ["Mended" if wrote else "Can be mended (ao queue repair --write)", *(f"  {line}" for line in found.done)]
    if found.left:
        out += ["Left as it is", *(f"  {line}" for line in found.left)]
    return out


def ranking_json(found: Ranking, limit: int) -> str:
    """What is free, best first; what was passed over; how many there are of each state."""
    return _text(
        {
            "items": [as_plain(item) for item in itertools.islice(found, limit)],
            "available": len(found),
            "states": {str(state): found.states[state] for state in State},
            "passed_over": [{"key": each.key, "why": each.why} for each in found.passed_over],
            "odd_lines": [{"line": line, "why": why} for line, why in found.odd_lines],
        }
    )


def items_json(found: tuple[QueueItem, ...]) -> str:
    """Items in the order of the file."""
    return _text({"items": [as_plain(item) for item in found]})


def repair_json(found: Repair, *, wrote: bool) -> str:
    """What a repair did, or would do."""
    return _text({"wrote": wrote and found.changed, "changed": found.changed, "done": found.done, "left": found.left})


def as_plain(item: QueueItem) -> dict[str, object]:
    """An item with its address; `fields` as the file has them."""
    return {
        "ref": item.ref,
        "title": item.title,
        "state": str(item.state),
        "held_by": item.held_by or None,
        "source_epic": item.epic,
        "fields": {name: value for name, value in item.fields.items() if name != "items"},
    }


def item_json(item: QueueItem) -> str:
    """One item."""
    return _text(as_plain(item))


def _table(found: list[QueueItem] | tuple[QueueItem, ...]) -> Table:
    cells = tuple(
        (
            item.ref,
            item.text("severity"),
            item.text("type"),
            str(item.state).replace("_", " "),
            "tried" if item.text("failed_at") else "",
            clipped(item.title, 80),
        )
        for item in found
    )
    tones = tuple(_TONES.get(item.state, Tone.PLAIN) for item in found)
    return Table(("ref", "severity", "type", "state", "", "title"), cells, tones=tones)


def _text(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode() + "\n"
