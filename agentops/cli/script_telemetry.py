"""`ao script log-telemetry`, called by `scripts/log-telemetry.sh`."""

from __future__ import annotations

import os
import re

import click

from agentops.cli.door import here
from agentops.cli.script import Refused, Script
from agentops.core.errors import ExitCode

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


@click.command(cls=Script)
@click.argument("skill")
@click.argument("event")
@click.argument("facts", nargs=-1, metavar="[KEY=VALUE]...")
def command(skill: str, event: str, facts: tuple[str, ...]) -> int:
    """Append a row to `.agents/ao/skill-telemetry.jsonl`; values that are numbers are written as numbers."""
    from agentops.app.roots import root_of
    from agentops.evolve.own_files import TELEMETRY
    from agentops.host.clock import SystemClock
    from agentops.records import telemetry
    from agentops.records.times import utc_text

    said: dict[str, object] = {}
    for fact in facts:
        key, equals, value = fact.partition("=")
        if not equals or not key:
            raise Refused(f"`{fact}` is not KEY=VALUE", mend="log-telemetry.sh SKILL EVENT [KEY=VALUE]...")
        said[key] = _value(value)
    path = os.path.join(root_of(here(), dict(os.environ), None), TELEMETRY)
    telemetry.append(path, skill, event, utc_text(SystemClock().now().wall), said)
    return ExitCode.PLANNED


def _value(text: str) -> object:
    """`7` and `0.5` are numbers; `007`, a commit of digits with a letter, and 40 digits are text."""
    if not _NUMBER.fullmatch(text) or len(text) > 15:
        return text
    return float(text) if "." in text else int(text)
