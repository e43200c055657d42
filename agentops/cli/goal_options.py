"""Options that the `ao goals` commands share, and how they tell of a measurement under way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from agentops.cli import kinds
from agentops.cli.voice import standard_error, standard_out
from agentops.views.blocks import printable

if TYPE_CHECKING:
    from agentops.core.fitness import GoalResult
    from agentops.goals.checks import Watch

file_option = click.option("--file", metavar="FILE", help="This goals file instead of the nearest one upwards.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
timeout_option = click.option(
    "--timeout", type=kinds.seconds, default="240", show_default=True, metavar="SECONDS", help="Limit of one check."
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Say what would be done; write nothing.")


def note(text: str) -> None:
    """Something that the person should know beside the answer."""
    standard_error().line(f"note: {text}")


def write_json(value: object) -> None:
    """JSON as upstream's command prints it: two blanks a level."""
    import msgspec

    standard_out().write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


@contextmanager
def watching() -> Iterator[Watch]:
    """Tell a person at a terminal how far a measurement is, in a line that is written over; nothing for a pipe."""
    from agentops.goals.checks import Watch

    voice = standard_error()
    counted: list[str] = []

    def ended(one: GoalResult, _: object) -> None:
        if voice.is_terminal:
            counted.append(one.goal_id)
            voice.write(f"\r\x1b[K{len(counted)} measured, last {printable(one.goal_id)}")

    try:
        yield Watch(ended=ended)
    finally:
        if counted:
            voice.write("\r\x1b[K")
