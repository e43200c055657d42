"""One row of the work queue: what its items are and how far each has come (agentops 1.1 to 1.6).

Two readers of the same bytes: a fast one with the fields that decide, for a file of a hundred thousand rows, and a patient one
that gives every field of one row. What the fast one can't read, because a key is spelled otherwise or a value has another
type, the patient one still can: other tools write this file too, and no row is refused for an odd word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

FLAT_FIELDS = ("title", "type", "severity", "source", "description", "evidence", "target_repo")
"""An old row without items is an item itself when any of these says something (agentops 1.6)."""
LIFECYCLE = ("claim_status", "claimed_by", "claimed_at", "consumed", "consumed_by", "consumed_at", "failed_at")
TOKEN = "x_ao_token"
ATTEMPTS = "x_ao_attempts"
EVIDENCE = "x_ao_evidence"
READY = "ready"
KEY = 120
"""Characters of a title that name an item in rows, commits and the environment."""


class State(StrEnum):
    """How far an item has come. `held`: nobody may take it yet."""

    AVAILABLE = "available"
    IN_PROGRESS = "in_progress"
    CONSUMED = "consumed"
    HELD = "held"


_FREE = (None, "available")
_READY = (None, "", READY)
_CONSUMED = "consumed"


class Light(msgspec.Struct, gc=False):
    """The fields of an item that decide whether and when it is taken. None is not said."""

    title: str | None = None
    type: str | None = None
    severity: str | None = None
    target_repo: str | None = None
    consumed: bool | None = None
    claim_status: str | None = None
    failed_at: str | None = None
    status: str | None = None
    requires: list[str] | None = None
    source: str | None = None
    description: str | None = None
    evidence: str | None = None

    @property
    def says_how_far(self) -> bool:
        """It has a lifecycle of its own; then the row's is only a summary."""
        return self.consumed is not None or self.claim_status is not None

    @property
    def held_by(self) -> str:
        """What keeps anybody from taking it; empty when nothing does."""
        if self.requires:
            return f"it requires {', '.join(self.requires)}"
        return f"its status is `{self.status}`" if self.status not in (None, "", READY) else ""


class LightRow(Light, gc=False):
    """A row: its items, or, when it is an old flat one, the item that it is itself."""

    items: list[Light] | None = None

    @property
    def flat(self) -> bool:
        return not self.items and any(getattr(self, name) for name in FLAT_FIELDS)

    def work(self) -> Sequence[Light]:
        """Its items in order; none for a row of another kind."""
        return self.items or ((self,) if self.flat else ())


_fast = msgspec.json.Decoder(LightRow)
_MOST_DIGITS = 4300
_HUGE = re.compile(rb"[0-9]{%d}" % (_MOST_DIGITS + 1))


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def light(line: bytes) -> LightRow | None:
    """The deciding fields of a row; None when the bytes are no JSON object.

    The quick reader looks over what it does not want: a byte that is no UTF-8 there, or a number that nobody can hold, would
    make it offer a row that cannot be read when its turn comes.
    """
    if (not line.isascii() and not _is_text(line)) or (len(line) > _MOST_DIGITS and _HUGE.search(line)):
        return _patient(line)
    try:
        found = _fast.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _patient(line)
    if not found.items:
        return found if found.title is not None else _patient(line)
    for item in found.items:
        if not item.title:
            return _patient(line)
    return found


def plainly_free(row: LightRow) -> Light | None:
    """The item of a row that is one item which anybody may take: nearly every open row is, and a long queue has many."""
    items = row.items
    if not items or len(items) > 1:
        return None
    item = items[0]
    if item.consumed or item.claim_status not in _FREE or item.status not in _READY or item.requires:
        return None
    if item.consumed is None and item.claim_status is None and (row.consumed or row.claim_status == _CONSUMED):
        return None
    return item if item.title and not item.title.isspace() else None


def states(row: LightRow) -> list[State]:
    """How far each item has come. The items' own word counts; a row's only where no item says anything (agentops 1.4)."""
    items = row.work()
    summary = not any(item.says_how_far for item in items) and _consumed(row)
    return [State.CONSUMED if summary else state(item) for item in items]


def state(item: Light) -> State:
    """How far one item has come by its own word. An unknown claim status is none."""
    if _consumed(item):
        return State.CONSUMED
    if item.claim_status == State.IN_PROGRESS:
        return State.IN_PROGRESS
    return State.HELD if item.held_by else State.AVAILABLE


def _consumed(item: Light) -> bool:
    return bool(item.consumed) or item.claim_status == State.CONSUMED


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One item with everything its row says of it. `line` and `number` count from 1 and address it; `fields` is the item as
    it stands in the file, keys in small letters.
    """

    line: int
    number: int
    title: str
    state: State
    epic: str
    fields: Mapping[str, Any]
    flat: bool = False

    @property
    def ref(self) -> str:
        """Its address in the file: `LINE.NUMBER`."""
        return f"{self.line}.{self.number}"

    def text(self, name: str) -> str:
        """A field as text; empty when it is missing or something else."""
        return text(self.fields.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A field that is a list of texts, or one text."""
        return texts(self.fields.get(name))

    @property
    def attempts(self) -> int:
        """How often work on it was taken back; for people, it decides nothing."""
        value = self.fields.get(ATTEMPTS)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

    @property
    def held_by(self) -> str:
        return _light(self.fields).held_by


def items_of(line: bytes, number: int) -> tuple[QueueItem, ...]:
    """Every item of the row that stands in line `number`; none for bytes that are no row."""
    plain = plain_row(line)
    row = light(line)
    if plain is None or row is None:
        return ()
    found = states(row)
    raw = plain.get("items")
    flat = row.flat
    items = [plain] if flat else [small_keys(one) for one in raw if isinstance(one, dict)] if isinstance(raw, list) else []
    epic = text(plain.get("source_epic"))
    return tuple(
        QueueItem(number, at, text(item.get("title")).strip(), how_far, epic, item, flat)
        for at, (item, how_far) in enumerate(zip(items, found, strict=True), 1)
    )


def plain_row(line: bytes) -> dict[str, Any] | None:
    """The row as plain values, its own keys in small letters; None for bytes that are no JSON object."""
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        import json  # for what few lines need: a command that only looks should start at once

        try:
            found = json.loads(line)  # takes what other writers' JSON may hold: half a surrogate pair, NaN
        except (ValueError, RecursionError):
            return None
    return small_keys(found) if isinstance(found, dict) else None


def small_keys(found: Mapping[str, Any]) -> dict[str, Any]:
    """Upstream's reader takes keys however they are capitalised; a key that is spelled as documented wins."""
    return {**{key.lower(): value for key, value in found.items()}, **{k: v for k, v in found.items() if k == k.lower()}}


def key_of(title: str) -> str:
    """A title as the target of a row: one line, no control characters, not too long."""
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in title).split())
    return words if len(words) <= KEY else words[: KEY - 1].rstrip() + "…"


def digest(line: bytes) -> str:
    """Names a line's content, whatever its line break."""
    import hashlib

    return hashlib.sha256(line.rstrip(b"\r\n")).hexdigest()


def text(value: object) -> str:
    """A value as text that can be written, numbers included; empty for anything else."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def texts(value: object) -> tuple[str, ...]:
    """A list of texts; one text is a list of one."""
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    return tuple(filter(None, map(text, value))) if isinstance(value, list) else ()


def _patient(line: bytes) -> LightRow | None:
    plain = plain_row(line)
    if plain is None:
        return None
    raw = plain.get("items")
    own = _light(plain)
    row = LightRow(**{name: getattr(own, name) for name in Light.__struct_fields__})
    if isinstance(raw, list):
        row.items = [_light(small_keys(one)) for one in raw if isinstance(one, dict)]
    return row


def _light(plain: Mapping[str, Any]) -> Light:
    given = {name: text(plain.get(name)) or None for name in Light.__struct_fields__ if name not in ("consumed", "requires")}
    consumed = plain.get("consumed")
    if consumed is not None and not isinstance(consumed, bool):
        consumed = str(consumed).lower() in ("true", "yes", "1")
    return Light(**given, consumed=consumed, requires=list(texts(plain.get("requires"))) or None)
