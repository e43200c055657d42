"""The page about configuration names every key that there is, and none that there is not."""

from __future__ import annotations

import re
from pathlib import Path

from agentops.policy import toml_layer
from agentops.policy.keys import keys
from agentops.policy.origins import Layer
from agentops.policy.tables import LISTS, NEEDS_TRUST

TEXT = (Path(__file__).resolve().parents[3] / "docs" / "configuration.md").read_text("utf-8")


def test_every_key_is_explained_and_nothing_else_is() -> None:
    rows = [line for line in TEXT.splitlines() if re.match(r"\| `[a-z]+\.", line)]
    explained = {name for row in rows for name in re.findall(r"`([a-z_.]+)`", row.split("|")[1])}
    assert explained == {key for key in keys() if key not in LISTS}


def test_every_key_that_a_clone_may_not_say_is_named() -> None:
    section = TEXT.split("## What a clone may not say")[1].split("\n## ")[0]
    for key in NEEDS_TRUST:
        assert f"`{key}`" in section or f"[{key.rstrip('.')}.NAME]" in section or f"[[{key}]]" in section, key


def test_the_example_is_one_that_works() -> None:
    example = TEXT.split("```toml\n")[1].split("```")[0]
    assert toml_layer.layer(example, "ao.toml", Layer.REPOSITORY)["budget.session.minutes"].value == 480
