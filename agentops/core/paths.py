"""Paths as text that never fails to print, encode or round-trip.

Git and the file system know paths as bytes; JSON, ledgers and terminals want valid text. Every path that leaves
`tree/` is the text made here: UTF-8 as it is, with a backslash doubled and any other byte as `\\xNN`.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:\\|x([0-9a-f]{2}))")


def text_of(raw: bytes) -> str:
    """The printable, reversible text of a raw path."""
    doubled = raw.replace(b"\\", b"\\\\")
    try:
        return doubled.decode("utf-8")
    except UnicodeDecodeError:
        return doubled.decode("utf-8", "backslashreplace")


def raw_of(text: str) -> bytes:
    """The bytes that `text_of` was made from."""
    if "\\" not in text:
        return text.encode("utf-8")
    out, at = [], 0
    for found in _ESCAPE.finditer(text):
        out.append(text[at : found.start()].encode("utf-8"))
        out.append(bytes([int(found[1], 16)]) if found[1] else b"\\")
        at = found.end()
    out.append(text[at:].encode("utf-8"))
    return b"".join(out)
