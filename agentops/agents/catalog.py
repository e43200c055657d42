"""Which agents there are: those that come with `ao`, the owner's own files, and tables of the configuration, in this order;
the later one lies on top of the earlier one of the same name.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from agentops.agents.adapter import Adapter, BadAdapter, adapter_of, laid_over, read_toml
from agentops.core.errors import EnvironmentUnusable
from agentops.host.environment import resolve
from agentops.host.files import read_bounded

FIRST_OF = ("claude", "codex", "opencode", "gemini", "qwen")
"""Looked for in this order when nobody named an agent."""
_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "adapters")
_MESSAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.toml")
_LARGEST = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class NoSuchAgent(EnvironmentUnusable):
    """The agent that was named is not there."""


class Catalog:
    """`folder`: the owner's `agents/` folder (it need not exist). `tables`: `[agents.NAME]` of the configuration, each with
    where it stands. `base = "NAME"` in either builds on another one. Files are read when their agent is asked for.
    """

    def __init__(self, folder: str = "", tables: Mapping[str, tuple[Mapping[str, Any], str]] | None = None) -> None:
        self._folder = folder
        self._tables = dict(tables or {})

    def names(self) -> tuple[str, ...]:
        """All that are described, sorted."""
        return tuple(sorted({*_names(_OURS), *_names(self._folder), *self._tables}))

    def get(self, name: str) -> Adapter:
        """The agent of that name. Raises NoSuchAgent (exit 7) with the nearest name, BadAdapter (exit 2) for a bad file."""
        described, where = self._described(name, ())
        if not described:
            near = difflib.get_close_matches(name, self.names(), 1, 0.5)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise NoSuchAgent(
                f"there is no agent `{name}`{hint}: {', '.join(self.names())}",
                mend="ao evolve --agent-command 'ARGV'   (any program)   ·   docs/agents.md (how to describe one)",
            )
        if not _NAME.fullmatch(name):  # it becomes part of file names
            raise BadAdapter(f"{where}: {name!r} is no name for an agent: letters, digits, `.`, `-` and `_`")
        common = read_toml(read_bounded(_MESSAGES, _LARGEST), _MESSAGES)
        own = described.get("messages", [])
        described["messages"] = [*own, *common["messages"]] if isinstance(own, list) else own  # a wrong one is told by its path
        described.setdefault("account", name)
        return adapter_of(name, described, where)

    def _described(self, name: str, above: Sequence[str]) -> tuple[dict[str, Any], str]:
        """The tables of one name, laid over each other and over their `base`; empty when nobody describes it."""
        if name in above:
            raise BadAdapter(f"agent {name}: its `base` leads back to itself: {' → '.join((*above, name))}")
        found: dict[str, Any] = {}
        where = name
        for layer, place in self._layers(name):
            base = layer.pop("base", None)
            if base is not None and not isinstance(base, str):
                raise BadAdapter(f"{place}: `base` is the name of another agent")
            if base and base != name:
                below, _ = self._described(base, (*above, name))
                if not below:
                    raise BadAdapter(f"{place}: `base` names no agent: {base}")
                below.setdefault("account", base)  # what builds on another one shares its limits
                found = below
            found, where = laid_over(found, layer), place
        return found, where

    def _layers(self, name: str) -> list[tuple[dict[str, Any], str]]:
        layers = []
        for folder in (_OURS, self._folder):
            path = os.path.join(folder, f"{name}.toml")
            if name in _names(folder):
                try:
                    layers.append((read_toml(read_bounded(path, _LARGEST), path), path))
                except OSError as error:
                    raise BadAdapter(f"{path}: {error.strerror}") from error
        if name in self._tables:
            table, place = self._tables[name]
            layers.append((dict(table), place))
        return layers


def program_of(adapter: Adapter, env: Mapping[str, str], cwd: str) -> str | None:
    """The absolute path of the agent's program, by the first of its names that is there; None when none is."""
    return next(filter(None, (resolve(one, env, cwd) for one in adapter.programs)), None)


def user_folder(env: Mapping[str, str]) -> str:
    """Where the owner's own descriptions lie: `~/.config/ao/agents`; empty without a home."""
    base = env.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):  # a relative one would be looked for in the repository, and its files name programs
        base = os.path.join(env["HOME"], ".config") if env.get("HOME") else ""
    return os.path.join(base, "ao", "agents") if base else ""


def _names(folder: str) -> frozenset[str]:
    try:
        found = os.listdir(folder) if folder else []
    except OSError:
        return frozenset()
    return frozenset(name.removesuffix(".toml") for name in found if name.endswith(".toml") and not name.startswith("."))
