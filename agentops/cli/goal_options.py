"""Options that the `ao goals` commands share."""

from __future__ import annotations

import click

from agentops.cli import kinds
from agentops.cli.voice import standard_error, standard_out

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
