"""Records to plain JSON and back: the one codec behind journal, events and manifests."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def dump(value: object) -> bytes:
    """Compact JSON of any record of `core`; shell readers match `"key":"value"` without spaces (agentops 2.1)."""
    return msgspec.json.encode(value)


def legible(value: object) -> bytes:
    """JSON for readers. A folder's name that is no text, which JSON can't hold, shows what stands for its bytes."""
    try:
        return dump(value)
    except UnicodeEncodeError:
        return dump(_as_text(msgspec.to_builtins(value)))


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_as_text(key): _as_text(one) for key, one in value.items()}
    return [_as_text(one) for one in value] if isinstance(value, list | tuple) else value


def parse(line: bytes) -> Any:
    """Plain values of one JSON document. Raises `msgspec.DecodeError`."""
    return msgspec.json.decode(line)


def record(kind: type[T], value: object) -> T:
    """Plain values back into a record. Raises `msgspec.ValidationError`, which names the path."""
    return msgspec.convert(value, kind, strict=False)
