"""`ao trust`: what a repository's files ask to run here, and the person's word on it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from agentops.app.configuring import configuration, top_of
from agentops.core.paths import text_of
from agentops.policy.trust import remember, revoke, trusts


@dataclass(frozen=True, slots=True)
class Asked:
    """One key of a file of the repository that names a program. `value` as the file has it."""

    where: str
    key: str
    value: object


@dataclass(frozen=True, slots=True)
class Trusting:
    """What is asked in `folder`, and whether it counts now. `changed`: this call changed that."""

    folder: str
    asked: tuple[Asked, ...]
    trusted: bool
    changed: bool = False


def trust(cwd: str, env: Mapping[str, str], *, show: bool = False, take_back: bool = False) -> Trusting:
    """Remember the content as it is now; with `show` only look, with `take_back` forget. Raises BadConfiguration."""
    top = top_of(os.path.realpath(cwd))
    found = configuration(cwd, env)
    asked = tuple(Asked(given.origin.where, key, given.value) for key, given in sorted(found.asks.items()))
    values = {one.key: one.value for one in asked}
    shown = text_of(os.fsencode(top))
    if take_back:
        return Trusting(shown, asked, False, revoke(top, env))
    before = trusts(top, values, env)
    if not show and asked and not before:
        remember(top, values, env)
    return Trusting(shown, asked, before or (not show and bool(asked)), not show and bool(asked) and not before)
