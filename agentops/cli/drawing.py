"""Tables for a terminal. The only module that knows rich; imported when a table is drawn, not before."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.table import Table as Rich
from rich.text import Text

from agentops.views.blocks import Table, Tone, printable

_STYLES = {Tone.PLAIN: "", Tone.GOOD: "green", Tone.BAD: "red", Tone.DIM: "dim"}


def draw(table: Table, stream: TextIO) -> None:
    """The same cells, as wide as the terminal, with colour where it and NO_COLOR allow that."""
    rich = Rich(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for number, head in enumerate(table.head):
        rich.add_column(head, justify="right" if number in table.right else "left", overflow="fold")
    for number, row in enumerate(table.rows):
        tone = table.tones[number] if number < len(table.tones) else Tone.PLAIN
        # Text, never markup: a goal may be called [red]
        rich.add_row(*(Text(printable(cell), style=_STYLES[tone]) for cell in row))
    Console(file=stream).print(rich)
