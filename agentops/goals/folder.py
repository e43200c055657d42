"""A plain folder in which a person measures goals: a place that only starts checks (outside git there is no more to it)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from agentops.core.places import Purpose, Start, Startable
from agentops.core.processes import Limits, Spec
from agentops.host.environment import clean_environment

NOT_FOR_CHECKS = frozenset({"BASH_ENV", "ENV"})
"""Files that bash would source before a check: what a person has there is no part of the check (upstream drops them too)."""


class Folder(Startable):
    """A folder as it is: nothing is read-only, nothing is hidden, and nothing is marked as a cycle's."""

    name = "folder"

    def __init__(self, path: str, env: Mapping[str, str], run: str = "") -> None:
        self.path = os.path.abspath(path)
        self._env = {name: value for name, value in clean_environment(env)[0].items() if name not in NOT_FOR_CHECKS}
        self._run = run

    def spec(
        self,
        argv: Sequence[str],
        purpose: Purpose,
        *,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        limits: Limits | None = None,
        writable: Sequence[str] = (),
        merged: bool = False,
        start: Start | None = None,
    ) -> Spec:
        full = {**self._env, **(env or {})}
        if self._run:
            full["AO_RUN_ID"] = self._run
        return Spec(tuple(argv), self.path, full, stdin, limits or Limits(), merged=merged, marker=self._run)
