"""What a repository has of tools and their configuration: its own environments first, then the `PATH`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from agentops.host.environment import resolve
from agentops.host.files import read_bounded
from agentops.rpi.shell_words import Command

_BINS = (".venv/bin", "venv/bin", "node_modules/.bin")
_LARGEST = 1 << 20


class RepositoryTools:
    """Implements `Toolbox` for the checkout at `top`; `env` is what fixers start with."""

    def __init__(self, top: str, env: Mapping[str, str]) -> None:
        self._top = top
        self._env = env

    def find(self, command: Command) -> str | None:
        folder = os.path.join(self._top, command.folder)
        if command.prefix or "/" in command.program:
            program = command.prefix[0] if command.prefix else command.program
            return command.program if resolve(program, self._env, folder) is not None else None
        if not command.wrapped and resolve(command.program, self._env, folder) is not None:
            return command.program  # what the check itself finds
        for base, way in ((folder, ""), (self._top, os.path.relpath(self._top, folder) + "/")):
            for bin_ in _BINS:
                if os.access(os.path.join(base, bin_, command.program), os.X_OK):
                    return f"{way}{bin_}/{command.program}"
        return command.program if resolve(command.program, self._env, folder) is not None else None

    def configured(self, signs: tuple[str, ...], folder: str) -> bool:
        return any(self._holds(os.path.join(base, sign)) for sign in signs for base in {self._top, self._at(folder)})

    def _at(self, folder: str) -> str:
        return os.path.join(self._top, folder)

    def _holds(self, sign: str) -> bool:
        path, _, text = sign.partition(":")
        if not text:
            return os.path.isfile(path)
        try:
            return text.encode() in read_bounded(path, _LARGEST)
        except OSError:
            return False
