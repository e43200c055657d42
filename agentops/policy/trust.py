"""The person's word that the programs which a repository's own files name may run: kept by content, in the person's state.

Not in the repository, where whoever writes the files would write the word too; and of the content, so that what was changed
since (by an agent at night, by a pull in the morning) asks again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

import msgspec

from agentops.core import wire
from agentops.core.errors import EnvironmentUnusable
from agentops.core.paths import text_of
from agentops.host.files import ensure_folder, read_bounded, write_atomic

_LIMIT = 4 << 20


class NoStateFolder(EnvironmentUnusable):
    """There is no place to remember what is trusted: neither HOME nor XDG_STATE_HOME is set."""

    mend = "export HOME=/home/you"


def digest(asks: Mapping[str, object]) -> str:
    """Names this content of the keys that need trust; order and layout of the file do not matter."""
    return hashlib.sha256(wire.dump(sorted((key, _plain(value)) for key, value in asks.items()))).hexdigest()


def trusts(top: str, asks: Mapping[str, object], env: Mapping[str, str]) -> bool:
    """Whether the person said so of exactly this content in exactly this folder."""
    return bool(asks) and _read(trust_file(env)).get(_key(top)) == digest(asks)


def remember(top: str, asks: Mapping[str, object], env: Mapping[str, str]) -> None:
    """From now on this content counts. Raises NoStateFolder, OSError."""
    known = _read(_place(env))
    known[_key(top)] = digest(asks)
    _write(known, env)


def revoke(top: str, env: Mapping[str, str]) -> bool:
    """It no longer counts; False when it never did."""
    known = _read(trust_file(env))
    if known.pop(_key(top), None) is None:
        return False
    _write(known, env)
    return True


def trust_file(env: Mapping[str, str]) -> str:
    """Where it is kept; empty without a home."""
    base = env.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(env["HOME"], ".local", "state") if env.get("HOME") else ""
    return os.path.join(base, "ao", "trust.json") if base else ""


def _key(top: str) -> str:
    """The folder as JSON can hold it, whatever bytes its name has."""
    return text_of(os.fsencode(os.path.realpath(top)))


def _place(env: Mapping[str, str]) -> str:
    path = trust_file(env)
    if not path:
        raise NoStateFolder
    return path


def _write(known: Mapping[str, str], env: Mapping[str, str]) -> None:
    path = _place(env)
    ensure_folder(os.path.dirname(path))
    write_atomic(path, msgspec.json.format(wire.dump(dict(sorted(known.items()))), indent=2) + b"\n")


def _read(path: str) -> dict[str, str]:
    """Folder → digest; a file that is gone or broken trusts nobody."""
    try:
        found = wire.parse(read_bounded(path, _LIMIT)) if path else {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {key: one for key, one in found.items() if isinstance(one, str)} if isinstance(found, dict) else {}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return sorted((str(key), _plain(one)) for key, one in value.items())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
