"""Records to plain JSON and back: the one codec behind journal, events and manifests."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def dump(value: object) -> bytes:
    """Compact JSON of any record of `core`; shell readers match `"key":"value"` without spaces (agentops 2.1)."""
    return msgspec.json.encode(value)


def parse(line: bytes) -> Any:
    """Plain values of one JSON document. Raises `msgspec.DecodeError`."""
    return msgspec.json.decode(line)


def record(kind: type[T], value: object) -> T:
    """Plain values back into a record. Raises `msgspec.ValidationError`, which names the path."""
    return msgspec.convert(value, kind, strict=False)
