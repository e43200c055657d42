"""Environments that we hand on: without what names a place in git or tells a tool that it runs inside another one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

GIT_PLACES = frozenset(
    {
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_QUARANTINE_PATH",
        "GIT_SHALLOW_FILE",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_INTERNAL_TOPLEVEL",
    }
)
"""Variables by which a git hook, a wrapper or a person redirects every git call, `-C` or not (evolve.md section 4)."""

_GIT_PLACE_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_NESTED = frozenset(
    {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"}
)
_NESTED_PARTS = (
    ("CLAUDE_CODE_", "SESSION"),
    ("CODEX_", "SESSION"),
    ("CODEX_", "THREAD"),
    ("OPENCODE_", "SESSION"),
    ("GEMINI_CLI_", "SESSION"),
)


def names_a_git_place(name: str) -> bool:
    """Whether the variable turns git to another repository, index or configuration."""
    return name in GIT_PLACES or name.startswith(_GIT_PLACE_PREFIXES)


def nests_an_agent(name: str) -> bool:
    """Set by a coding agent for what it starts; a second agent that sees it refuses, or attaches to the first one's session."""
    return name in _NESTED or any(name.startswith(start) and part in name for start, part in _NESTED_PARTS)


def clean_environment(env: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The environment without those variables, and the names of what was dropped, sorted, for one line to the person."""
    dropped = tuple(sorted(name for name in env if names_a_git_place(name) or nests_an_agent(name)))
    return {name: value for name, value in env.items() if name not in dropped}, dropped


def resolve(command: str, env: Mapping[str, str], cwd: str = "") -> str | None:
    """The absolute path of a tool by `PATH`; relative ones (with a slash) start at `cwd`. None when it is not there."""
    if os.sep in command:
        path = os.path.join(os.path.abspath(cwd or os.curdir), command)
        return path if os.path.isfile(path) and os.access(path, os.X_OK) else None
    found = shutil.which(command, path=env.get("PATH", os.defpath))
    return None if found is None else os.path.join(os.path.abspath(cwd or os.curdir), found)
