"""`ao queue …`."""

from __future__ import annotations

from agentops.cli.lazy import LazyGroup

command = LazyGroup(
    "queue",
    {
        "list": ("agentops.cli.queue_list", "What is free, in the order in which it is taken, and what is not and why."),
        "show": ("agentops.cli.queue_show", "Everything that is known of an item."),
        "add": ("agentops.cli.queue_add", "Put work into the queue."),
        "release": ("agentops.cli.queue_release", "Free an item or a resting goal, so that it is tried again."),
        "consume": ("agentops.cli.queue_consume", "Say that an item is done."),
        "repair": ("agentops.cli.queue_repair", "Mend what is wrong with the file; old claims are freed."),
    },
    "The work queue of this repository: .agents/rpi/next-work.jsonl. REF is LINE.NUMBER as `list` shows it, an id, a title "
    "or a part of one that fits only one item.",
)
