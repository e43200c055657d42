"""Prompts from templates; a name that a template misspells is an error, not an empty line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from agentops.core.work import WorkItem
from agentops.rpi.verdicts import Phase

_FOLDER = os.path.join(os.path.dirname(__file__), "prompts")


def render(phase: Phase, item: WorkItem, *, phase_dir: str, earlier: Sequence[str], reason: str, test_first: bool) -> str:
    """The prompt of one phase. `earlier`: folders of finished phases; `reason`: why the last try did not go through."""
    return _template(phase).render(item=item, phase_dir=phase_dir, earlier=list(earlier), reason=reason, test_first=test_first)


@cache
def _template(phase: Phase) -> Template:
    # Plain text for a model: escaping for HTML would corrupt code.
    rooms = Environment(loader=FileSystemLoader(_FOLDER), undefined=StrictUndefined, autoescape=False, trim_blocks=True)  # noqa: S701
    return rooms.get_template(f"{phase}.md.j2")
