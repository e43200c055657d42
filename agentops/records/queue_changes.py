"""What claiming, consuming, releasing and failing write into a row (agentops 1.7). Pure: bytes of a row in, bytes out.

Only the one row is encoded anew. Its unknown keys, their order and however they are spelled stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from agentops.records.queue_rows import ATTEMPTS, EVIDENCE, LIFECYCLE, READY, TOKEN, State, light, states

Change = Callable[[dict[str, Any]], None]
"""Changes one item in place; `set_field` is how."""


def changed(line: bytes, number: int, change: Change) -> bytes:
    """The row with item `number` (from 1) changed, and its summary of all items made anew."""
    row: dict[str, Any] = json.loads(line)
    found = light(line)
    if found is None:
        raise ValueError("only a row can be changed")
    if found.flat:
        change(row)
        return encoded(row)
    items = [one for one in get(row, "items") if isinstance(one, dict)]
    before = states(found)
    if not any(item.says_how_far for item in found.items or ()) and State.CONSUMED in before:
        for item in items:
            set_field(item, "consumed", True)  # until now only the row said so, for all of them
    change(items[number - 1])
    _sum_up(row, items)
    return encoded(row)


def claim(who: str, at: str, token: str) -> Change:
    """Taken by `who`."""

    def change(item: dict[str, Any]) -> None:
        _set(item, claim_status=str(State.IN_PROGRESS), claimed_by=who, claimed_at=at)
        set_field(item, TOKEN, token)

    return change


def consume(who: str, at: str, evidence: str = "") -> Change:
    """Done. The token stays: booking the same end twice must be seen to be the same."""

    def change(item: dict[str, Any]) -> None:
        _set(item, consumed=True, claim_status=str(State.CONSUMED), claimed_by=None, claimed_at=None)
        _set(item, consumed_by=who, consumed_at=at, failed_at=None)
        if evidence:
            set_field(item, EVIDENCE, evidence)

    return change


def release(*, forgive: bool = False) -> Change:
    """Free again, as if nobody had tried. `forgive`: a person's word; failures are forgotten and what held it holds no more."""

    def change(item: dict[str, Any]) -> None:
        _set(item, consumed=False, claim_status=str(State.AVAILABLE), claimed_by=None, claimed_at=None)
        _set(item, consumed_by=None, consumed_at=None)
        for name in (TOKEN, EVIDENCE, *((ATTEMPTS, "failed_at") if forgive else ())):
            drop_field(item, name)
        if forgive and get(item, "status") not in (None, "", READY):
            set_field(item, "status", READY)
        if forgive and get(item, "requires"):
            set_field(item, "requires", [])

    return change


def fail(at: str) -> Change:
    """Free again, and later in line: its work was taken back."""

    def change(item: dict[str, Any]) -> None:
        release()(item)
        set_field(item, "failed_at", at)
        tries = get(item, ATTEMPTS)
        set_field(item, ATTEMPTS, tries + 1 if isinstance(tries, int) and not isinstance(tries, bool) else 1)

    return change


def get(found: dict[str, Any], name: str) -> Any:
    """A field however its key is capitalised; the documented spelling wins."""
    return found[name] if name in found else next((value for key, value in found.items() if key.lower() == name), None)


def set_field(found: dict[str, Any], name: str, value: object) -> None:
    """Set a field under the spelling that it has there. None is written only where the key is there already."""
    if name in found:
        found[name] = value
        return
    spelled = next((key for key in found if key.lower() == name), None)
    if spelled is not None or value is not None:
        found[spelled or name] = value


def drop_field(found: dict[str, Any], name: str) -> None:
    """Remove a field of ours, or empty one of upstream's."""
    if name in LIFECYCLE:
        set_field(found, name, None)
    else:
        found.pop(name, None)


def _set(item: dict[str, Any], **fields: object) -> None:
    for name, value in fields.items():
        set_field(item, name, value)


def _sum_up(row: dict[str, Any], items: Sequence[dict[str, Any]]) -> None:
    """The row's own lifecycle, which older readers look at, from its items'."""
    found = light(encoded(row))
    all_of_them = states(found) if found is not None else []
    failed = next((at for item in reversed(items) if (at := get(item, "failed_at"))), None)
    if all(one is State.CONSUMED for one in all_of_them):
        last = items[-1]
        _set(row, consumed=True, claim_status=str(State.CONSUMED), claimed_by=None, claimed_at=None)
        _set(row, consumed_by=get(last, "consumed_by"), consumed_at=get(last, "consumed_at"), failed_at=failed)
        return
    taken = [item for item, one in zip(items, all_of_them, strict=True) if one is State.IN_PROGRESS]
    status = State.IN_PROGRESS if taken else State.AVAILABLE
    by, at = (get(taken[0], "claimed_by"), get(taken[0], "claimed_at")) if taken else (None, None)
    _set(row, consumed=False, claim_status=str(status), claimed_by=by, claimed_at=at)
    _set(row, consumed_by=None, consumed_at=None, failed_at=failed)


def encoded(row: dict[str, Any]) -> bytes:
    """Compact, as every reader of these files expects; half a surrogate pair, which JSON can hold and UTF-8 can't, escaped."""
    try:
        return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(row, separators=(",", ":")).encode("ascii")
