"""The configuration file of the original `ao`, as far as it speaks about the loop (source: its `cli/internal/config`).

Only its `rpi` table does. The other tables (`output`, `forge`, `search`, `paths`, `models`, …) are about commands that
this program does not have; they are that program's business and not looked at. Its command line falls back to defaults when
the file is broken; a night on defaults that nobody chose is worse than a line at the start, so here it is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentops.policy.origins import Given, Layer, Origin
from agentops.policy.toml_layer import BadConfiguration

AGENTS = ("claude", "codex", "opencode", "gemini", "qwen")
"""Names that mean an adapter rather than a program of that name."""

_QUIET = {"worktree_mode": ("", "auto"), "runtime_mode": ("", "auto"), "ao_command": ("", "ao"), "tmux_command": ("", "tmux"),
          "bd_command": ("", "bd"), "runtime_command": ("",)}  # fmt: skip
"""What is said by leaving it out as well."""

_VARIABLES = {
    "AGENTOPS_RPI_WORKTREE_MODE": "worktree_mode",
    "AGENTOPS_RPI_RUNTIME_COMMAND": "runtime_command",
}


def layer(text: str, path: str, level: Layer) -> tuple[dict[str, Given], tuple[str, ...]]:
    """What the file says that matters here, and a line for what it says in vain. Pure. Raises BadConfiguration."""
    rpi, lines = _rpi(text, path)
    found: dict[str, Given] = {}
    vain: list[str] = []
    for name, value in rpi.items():
        where = f"{path}:{lines.get(name, 1)}"
        if not isinstance(value, str) and value is not None:
            raise BadConfiguration(
                f"{where}: rpi.{name}: must be a text (it is a {type(value).__name__})", mend=f"${{EDITOR:-vi}} {path}"
            )
        if (value or "") in _QUIET.get(name, ()):
            continue
        given = _translated(name, value or "", Origin(level, where))
        if given:
            found |= given
        else:
            vain.append(f"{where}: rpi.{name} has no effect in this version")
    return found, tuple(vain)


def variables(env: Mapping[str, str]) -> dict[str, Given]:
    """The same settings as variables of the original; ours win over them."""
    found: dict[str, Given] = {}
    for name, key in _VARIABLES.items():
        if env.get(name):
            found |= _translated(key, env[name], Origin(Layer.ENVIRONMENT, name))
    return found


def _translated(name: str, value: str, origin: Origin) -> dict[str, Given]:
    """Upstream's setting in our words; empty when there is nothing here that it could mean."""
    from agentops.policy.keys import WrongValue, keys

    def given(key: str, what: object) -> dict[str, Given]:
        try:
            return {key: Given(keys()[key].read(what), origin)}
        except WrongValue as wrong:
            raise BadConfiguration(f"{origin.where}: {wrong}", mend="ao evolve --help") from None

    if name == "worktree_mode" and value == "never":
        return given("place.isolation", "in-place")
    if name == "runtime_command":
        if value in AGENTS:
            return given("agent.use", value)
        return given("agent.command", value)
    return {}


def _rpi(text: str, path: str) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        document = YAML(typ="rt").load(text)
    except MarkedYAMLError as broken:
        mark = broken.problem_mark or broken.context_mark
        at = f":{mark.line + 1}:{mark.column + 1}" if mark is not None else ""
        raise BadConfiguration(f"{path}{at}: this is no YAML: {broken.problem}", mend=f"${{EDITOR:-vi}} {path}") from None
    except (YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as broken:
        first = str(broken).splitlines()[0] if str(broken) else type(broken).__name__
        raise BadConfiguration(f"{path}: this is no YAML: {first}", mend=f"${{EDITOR:-vi}} {path}") from None
    rpi = document.get("rpi") if isinstance(document, Mapping) else None
    if rpi is None:
        return {}, {}
    if not isinstance(rpi, Mapping):
        raise BadConfiguration(f"{path}: rpi must be a table", mend=f"${{EDITOR:-vi}} {path}")
    return rpi, {name: place[0] + 1 for name, place in (rpi.lc.data or {}).items()}  # type: ignore[attr-defined]
