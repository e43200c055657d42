"""`AO_<TABLE>_<KEY>`: settings from the environment."""

from __future__ import annotations

from collections.abc import Mapping

from agentops.policy.keys import Key, WrongValue, keys, nearest
from agentops.policy.origins import Given, Layer, Origin
from agentops.policy.tables import FREE, LISTS
from agentops.policy.toml_layer import BadConfiguration

PREFIX = "AO_"


def variable(key: str) -> str:
    """The variable of a dotted key: `budget.session.minutes` → `AO_BUDGET_SESSION_MINUTES`."""
    return PREFIX + key.replace(".", "_").upper()


def layer(env: Mapping[str, str]) -> dict[str, Given]:
    """What the environment says. An empty variable says nothing; one that begins like a table of ours and names no key
    is an error, for a misspelt limit must not be no limit. Pure. Raises BadConfiguration.
    """
    known = {variable(name): key for name, key in keys().items() if name not in LISTS}
    tables = tuple({variable(name.split(".")[0]) + "_" for name in (*keys(), *FREE)})
    found: dict[str, Given] = {}
    for name, value in sorted(env.items()):
        if not name.startswith(tables) or not value.strip():
            continue
        if name not in known:
            raise BadConfiguration(f"{name}: there is no such setting{nearest(name, known)}", mend=f"unset {name}")
        key = known[name]
        found[key.name] = Given(_read(key, name, value), Origin(Layer.ENVIRONMENT, name))
    return found


def _read(key: Key, name: str, value: str) -> object:
    try:
        return key.read(value.strip(), text=True)
    except WrongValue as wrong:
        raise BadConfiguration(f"{name}: {wrong}", mend=f"unset {name}") from None
